"""The word vectors of another model, which ``encoder.vectors`` may name instead of a file."""

from __future__ import annotations

from pathlib import Path

from innermost.errors import DataError
from innermost.model_folder.info import FILE
from innermost.model_folder.installed import installed, locate
from innermost.parts.wordchar.files import VECTORS, VOCABULARY, read_vocabulary
from innermost.parts.wordchar.vectors import Vectors
from innermost.parts.wordchar.word_table import whole_table


def is_model(name: str) -> bool:
    """Whether it is an installed model or the folder of one, and not a file of vectors."""
    folder = Path(name)
    if folder.exists():
        return (folder / FILE).exists() or (folder / "model" / FILE).exists()
    return name in installed()


def vectors_of_model(name: str) -> Vectors:
    """The pretrained word vectors of a model, quantized or not."""
    folder = locate(name)
    if not (folder / VOCABULARY).exists():
        raise DataError("a model without word vectors", path=name)
    words = read_vocabulary(folder).pretrained
    if not words:
        raise DataError("a model whose word vectors are all trained, none pretrained", path=name)
    return Vectors(words, whole_table(folder / VECTORS, len(words)), folder)
