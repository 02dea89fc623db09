"""Vectors that do not change during training, computed once and stored on disk.

They are stored in the folder named by the variable ``INNERMOST_CACHE``, else in the user's cache
folder, in several files per corpus, so that an interrupted pass resumes. They may be deleted at any
time.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import platformdirs
import torch
from torch import Tensor, nn

from innermost.arrays import EPSILON, Floats
from innermost.corpus import Sentence
from innermost.errors import OutputError
from innermost.files.atomic import atomic_path
from innermost.network.embedder import Layout
from innermost.tensors import TensorBatch

Compute = Callable[[int, int], Iterable[Floats]]
"""Yields ``[word, ...]`` for each sentence from the first to the second index, in order."""
MIN_FILE_WORDS = 8_192
"""The fewest words per file."""
MAX_FILES = 64
"""The most files per corpus: all are open during training."""


@dataclass(frozen=True, slots=True)
class FrozenInput(TensorBatch):
    """The vectors of a batch."""

    vectors: Tensor
    """``[row, ...]``"""


class CachedFeatures(ABC):
    """The vectors of frozen models, computed when a corpus is prepared for the first time."""

    def __init__(self, name: str, models: Sequence[nn.Module], device: torch.device) -> None:
        """``name`` encodes everything the vectors depend on other than the sentences."""
        self._name = name
        self._models = [model.eval().requires_grad_(False) for model in models]
        self._device = device

    @abstractmethod
    def computing(self, sentences: Sequence[Sentence]) -> Compute:
        """The computation for the sentences of a corpus, with the models on their device."""

    def prepare(self, sentences: Sequence[Sentence]) -> list[Floats]:
        """``[word, ...]`` for each sentence, memory-mapped from disk."""
        for _ in self.fill(sentences):
            pass
        return [
            vectors
            for path, start, end in _parts(self._name, sentences)
            for vectors in np.split(
                np.load(path, mmap_mode="r"),
                np.cumsum([len(s.tokens) for s in sentences[start : end - 1]]),
            )
        ]

    def collate(self, items: Sequence[Floats], layout: Layout) -> FrozenInput:
        return FrozenInput(torch.from_numpy(np.concatenate(items)[layout.order()]))

    def fill(self, sentences: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
        """Compute what is not on disk yet; yields the words done and in total."""
        missing = [part for part in _parts(self._name, sentences) if not part[0].exists()]
        if not missing:
            return
        for model in self._models:
            model.to(self._device)
        sizes = [sum(len(s.tokens) for s in sentences[start:end]) for _, start, end in missing]
        done = 0
        yield done, sum(sizes)
        compute = self.computing(sentences)
        for (path, start, end), words in zip(missing, sizes, strict=True):
            try:
                _write(path, words, compute(start, end))
            except (OSError, OutputError) as error:
                reason = error.message if isinstance(error, OutputError) else str(error)
                raise OutputError(
                    f"the vectors could not be stored: {reason}",
                    hint="set the variable INNERMOST_CACHE to choose another folder",
                ) from None
            done += words
            yield done, sum(sizes)
        for model in self._models:
            model.to("cpu")


def normalized(vectors: Tensor) -> Tensor:
    """Each vector with mean 0 and variance 1."""
    return nn.functional.layer_norm(vectors, vectors.shape[-1:], eps=EPSILON)


def cache_folder() -> Path:
    if folder := os.environ.get("INNERMOST_CACHE"):
        return Path(folder)
    return platformdirs.user_cache_path("innermost", appauthor=False)


def _parts(name: str, sentences: Sequence[Sentence]) -> list[tuple[Path, int, int]]:
    """The files of a corpus, each with the range of its sentences."""
    hashed = hashlib.sha256(name.encode())
    starts: list[int] = []
    size = max(MIN_FILE_WORDS, -(-sum(len(s.tokens) for s in sentences) // MAX_FILES))
    words = size
    for number, sentence in enumerate(sentences):
        hashed.update(repr((sentence.doc, sentence.tokens)).encode("utf-8", "surrogatepass"))
        if words >= size:
            starts.append(number)
            words = 0
        words += len(sentence.tokens)
    stem = cache_folder() / hashed.hexdigest()[:32]
    borders = pairwise([*starts, len(sentences)])
    return [
        (stem.with_name(f"{stem.name}-{number}.npy"), start, end)
        for number, (start, end) in enumerate(borders)
    ]


def _write(path: Path, words: int, vectors: Iterable[Floats]) -> None:
    """Write the file completely or not at all."""
    with atomic_path(path) as temporary:
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
        del file  # Windows cannot rename a file that is mapped
