"""The files of the part in a model folder.

vocabulary.json   words and characters
vectors.npy       the pretrained words: float, or int8 or int4 with vectors-scales.npy
trained.npy       the unknown word and the trained ones, stored the same way
characters.npy    [3, character, filter]: the character CNN as sums of rows
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from innermost.model_folder.manifest import read_file
from innermost.model_folder.plain_files import MEGABYTE, damaged
from innermost.parts.wordchar.vocabulary import Vocabulary

VOCABULARY, VECTORS = "vocabulary.json", "vectors.npy"
TRAINED, CHARACTERS = "trained.npy", "characters.npy"
_LARGEST_VOCABULARY = 512 * MEGABYTE


class _Words(msgspec.Struct):
    trained: list[str]
    pretrained: list[str]
    characters: list[str]


def read_vocabulary(folder: Path) -> Vocabulary:
    path = folder / VOCABULARY
    try:
        words = msgspec.json.decode(read_file(path, _LARGEST_VOCABULARY), type=_Words)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise damaged(path, error) from None
    return Vocabulary(words.trained, words.pretrained, words.characters)


def vocabulary_bytes(vocabulary: Vocabulary) -> bytes:
    return msgspec.json.encode(
        _Words(vocabulary.trained, vocabulary.pretrained, vocabulary.characters)
    )


def scales_of(path: Path) -> Path:
    """The file with the scales of a quantized table."""
    return path.with_name(f"{path.stem}-scales.npy")
