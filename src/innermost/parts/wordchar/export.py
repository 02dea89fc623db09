"""Export the part as NumPy arrays: word vectors, quantized or not, and the CNN as tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Floats, Weights
from innermost.files.atomic import write_atomically
from innermost.model_folder.arrays import array_bytes, read_array
from innermost.parts.contract import ExportOptions, Storage
from innermost.parts.wordchar.files import (
    CHARACTERS,
    TRAINED,
    VECTORS,
    VOCABULARY,
    read_vocabulary,
    scales_of,
    vocabulary_bytes,
)
from innermost.parts.wordchar.settings import Settings
from innermost.parts.wordchar.vocabulary import EDGE, Vocabulary
from innermost.parts.wordchar.word_table import quantize, whole_table

WORD_VECTORS = True
_MARGIN = 1.001
"""Rounded vectors stay within this factor of the largest value."""


def largest_feature(folder: Path, weights: Weights) -> float:
    of_characters = 1.0  # because of the tanh
    words = len(read_vocabulary(folder).pretrained)
    tables = (weights["trained"], whole_table(folder / VECTORS, words))
    return _MARGIN * max(of_characters, *(float(np.abs(t).max(initial=0)) for t in tables))


def export(
    folder: Path, out: Path, settings: Settings, weights: Weights, options: ExportOptions
) -> None:
    vocabulary = read_vocabulary(folder)
    storage: Storage | None = options.vectors or ("int8" if options.int8 else None)
    write_atomically(out / CHARACTERS, array_bytes(_character_tables(weights)))
    _write_table(out / TRAINED, weights["trained"], storage)
    if out != folder:
        kept = _kept_words(vocabulary, options.top, options.keep)
        is_quantized = scales_of(folder / VECTORS).exists()
        smaller = options.vectors or (None if is_quantized else storage)
        _write_words(folder, out, vocabulary, smaller, kept)


def exported_weights(folder: Path, settings: Settings) -> Weights:
    """The weights passed to :func:`export`. The CNN's may differ but have the same sums: only the
    products of its characters and kernel are stored."""
    vocabulary = read_vocabulary(folder)
    tables = read_array(folder / CHARACTERS, (3, vocabulary.character_count, None))
    tables = tables.astype(np.float32)
    bias = tables[1, EDGE].copy()
    tables[1] -= bias
    # [character, 3 * filter] is a product of rank `character_dimension` at most.
    products = np.concatenate(tuple(tables), axis=1)
    left, values, right = np.linalg.svd(products, full_matrices=False)
    rank = min(settings.character_dimension, len(values))
    root = np.sqrt(values[:rank])
    embedding = np.zeros((len(products), settings.character_dimension), dtype=np.float32)
    kernel = np.zeros((settings.character_dimension, products.shape[1]), dtype=np.float32)
    embedding[:, :rank] = left[:, :rank] * root
    kernel[:rank] = root[:, None] * right[:rank]
    return {
        "trained": whole_table(folder / TRAINED, len(vocabulary.trained) + 1),
        "characters.embedding": embedding,
        "characters.kernel": np.stack(np.split(kernel, 3, axis=1)),
        "characters.bias": bias,
    }


def _character_tables(weights: Weights) -> Floats:
    """``[3, character, filter]``, the bias in the middle one, which each window uses once."""
    embedding = weights["characters.embedding"].copy()
    embedding[EDGE] = 0
    tables: Floats = embedding @ weights["characters.kernel"]
    tables[1] += weights["characters.bias"]
    return tables


def _kept_words(vocabulary: Vocabulary, top: int | None, keep: Iterable[str]) -> list[int]:
    """The pretrained words to keep, most frequent first."""
    first = 1 + len(vocabulary.trained)
    needed = {vocabulary.word(form) - first for form in keep}
    everything = range(len(vocabulary.pretrained))
    return sorted({*everything[:top], *(number for number in needed if number >= 0)})


def _write_words(
    folder: Path, out: Path, vocabulary: Vocabulary, storage: Storage | None, kept: list[int]
) -> None:
    words = [vocabulary.pretrained[number] for number in kept]
    fewer = Vocabulary(vocabulary.trained, words, vocabulary.characters)
    write_atomically(out / VOCABULARY, vocabulary_bytes(fewer))
    if storage is None:
        _copy_rows(folder / VECTORS, out / VECTORS, len(vocabulary.pretrained), kept)
    else:
        table = whole_table(folder / VECTORS, len(vocabulary.pretrained))
        _write_table(out / VECTORS, table[kept], storage)


def _copy_rows(path: Path, out: Path, rows: int, kept: list[int]) -> None:
    """These rows of a table, stored as they are."""
    write_atomically(out, array_bytes(read_array(path, (rows, None))[kept]))
    if scales_of(path).exists():
        write_atomically(scales_of(out), array_bytes(read_array(scales_of(path), (rows,))[kept]))


def _write_table(path: Path, table: npt.NDArray[Any], storage: Storage | None) -> None:
    if storage is None or storage == "float16":
        stored = table if storage is None else table.astype(np.float16)
        write_atomically(path, array_bytes(stored))
        return
    numbers, scales = quantize(table.astype(np.float32), storage)
    write_atomically(path, array_bytes(numbers))
    write_atomically(scales_of(path), array_bytes(scales))
