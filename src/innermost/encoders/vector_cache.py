"""Vectors that never change while training, worked out once and kept on disk.

They lie in the folder that the variable ``INNERMOST_CACHE`` names, else in ``innermost`` under the
user's cache folder, one file for each corpus and embedder. They may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from innermost.corpus import Sentence
from innermost.errors import InnermostError

Floats = npt.NDArray[np.float32]
Compute = Callable[[Sequence[Sentence]], Iterable[Floats]]
"""Gives ``[word, ...]`` for each sentence, in order."""


def cached_vectors(embedder: str, sentences: Sequence[Sentence], compute: Compute) -> list[Floats]:
    """``[word, ...]`` for each sentence, mapped from the disk; ``compute`` is asked only once.

    ``embedder`` names all that the vectors depend on besides the sentences.
    """
    if not sentences:
        return []
    path = cache_folder() / f"{_key(embedder, sentences)}.npy"
    if not path.exists():
        try:
            _write(path, sum(len(s.tokens) for s in sentences), compute(sentences))
        except OSError as error:
            raise InnermostError(
                f"{path}: the vectors could not be written: {error.strerror}",
                hint="the variable INNERMOST_CACHE chooses another folder",
            ) from None
    ends = np.cumsum([len(s.tokens) for s in sentences])
    return np.split(np.load(path, mmap_mode="r"), ends[:-1])


def cache_folder() -> Path:
    if chosen := os.environ.get("INNERMOST_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "innermost"


def _key(embedder: str, sentences: Sequence[Sentence]) -> str:
    hashed = hashlib.sha256(embedder.encode())
    for sentence in sentences:
        hashed.update(repr((sentence.doc, sentence.tokens)).encode("utf-8", "surrogatepass"))
    return hashed.hexdigest()[:32]


def _write(path: Path, words: int, vectors: Iterable[Floats]) -> None:
    """The file is there whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        rows = iter(vectors)
        first = next(rows)
        file = np.lib.format.open_memmap(
            temporary, mode="w+", dtype=np.float32, shape=(words, *first.shape[1:])
        )
        end = len(first)
        file[:end] = first
        for block in rows:
            file[end : end + len(block)] = block
            end += len(block)
        file.flush()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
