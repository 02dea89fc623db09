"""The files of a model folder, and reading them with messages that say what is wrong.

model.toml            what the model is
README.md             its card
vocabulary.json       words and characters
vectors.npy           the pretrained words: float, or int8 or int4 with vectors-scales.npy
trained.npy           the unknown word and the trained ones, in the same way
characters.npy        [3, character, filter]: the character CNN as sums of rows
transformer.onnx      sub-words to vectors
tokenizer.json        words to sub-words
flair/N/              character language models: forward.onnx or backward.onnx, chars.json
encoder.onnx          features to emissions
weights.safetensors   the same weights for torch; only in folders that training wrote
transformer/          the transformer for torch; likewise, as flair/N/model.safetensors
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from innermost.errors import ModelError
from innermost.parts.wordchar.vocabulary import Vocabulary

VOCABULARY, VECTORS, TRAINED = "vocabulary.json", "vectors.npy", "trained.npy"
CHARACTERS, ENCODER = "characters.npy", "encoder.onnx"
TRANSFORMER, TRANSFORMER_GRAPH, TOKENIZER = "transformer", "transformer.onnx", "tokenizer.json"
FLAIR, LANGUAGE_MODEL = "flair", "model.safetensors"
WEIGHTS, CARD = "weights.safetensors", "README.md"

_HEADER = 512
"""No file of this size or less holds more than the header of an array and a few numbers."""


class _Words(msgspec.Struct):
    trained: list[str]
    pretrained: list[str]
    characters: list[str]


def read_vocabulary(folder: Path) -> Vocabulary:
    path = folder / VOCABULARY
    try:
        words = msgspec.json.decode(path.read_bytes(), type=_Words)
    except (OSError, msgspec.MsgspecError) as error:
        raise damaged(path, error) from None
    return Vocabulary(words.trained, words.pretrained, words.characters)


def vocabulary_bytes(vocabulary: Vocabulary) -> bytes:
    return msgspec.json.encode(
        _Words(vocabulary.trained, vocabulary.pretrained, vocabulary.characters)
    )


def read_array(path: Path, shape: tuple[int | None, ...]) -> npt.NDArray[Any]:
    """An array of numbers, memory-mapped; ``None`` in the shape stands for any size."""
    try:
        # An empty array cannot be mapped.
        mode: Literal["r"] | None = "r" if path.stat().st_size > _HEADER else None
        array: npt.NDArray[Any] = np.load(path, mmap_mode=mode)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(path, error) from None
    fits = array.ndim == len(shape) and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "fiu":
        wanted = ", ".join("any" if size is None else str(size) for size in shape)
        raise damaged(path, f"holds {array.dtype} of shape {array.shape}, expected [{wanted}]")
    return array


def scales_of(path: Path) -> Path:
    """Where the scales of a quantised table lie."""
    return path.with_name(f"{path.stem}-scales.npy")


def damaged(path: Path, error: object) -> ModelError:
    if isinstance(error, FileNotFoundError):
        return ModelError(
            f"{path.parent} is not complete: it has no {path.name}",
            hint="`innermost export` makes a folder that can be used from one that was trained",
        )
    return ModelError(f"{path} is damaged: {error}", hint="get or export the model again")
