"""The contents of a part's package.

A part gives every token of a sentence a vector. Its package has at least:

    settings.py   ``Settings``, a :class:`innermost.parts.settings.PartSettings`
    training.py   a :class:`TrainingHalf`: the part in torch, built from data or from a model folder
    runtime.py    a :class:`RuntimeHalf`: the same vectors without torch and without onnx
    export.py     an :class:`ExportHalf`: from the files of training to the files of the runtime

The three halves are modules whose functions have the names and parameters of the protocols below;
``settings`` is always an instance of the part's own ``Settings``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy.typing as npt

from innermost.arrays import Floats, Weights

if TYPE_CHECKING:
    import torch

    from innermost.corpus import Sentence
    from innermost.network.embedder import Embedder, TrainingFeatures

Array = npt.NDArray[Any]
TokenizedDocuments = Sequence[Sequence[Sequence[str]]]
"""Documents as lists of sentences, sentences as lists of tokens."""
Storage = Literal["float16", "int8", "int4"]
"""How the numbers of word vectors are stored."""


class PartData(Protocol):
    """Data that a part reads once for all runs."""

    @property
    def summary(self) -> str:
        """A few words for the log, such as ``400,000 word vectors``; may be empty."""
        ...

    @property
    def fingerprint(self) -> str:
        """The same for the same data."""
        ...

    @property
    def folder(self) -> Path | None:
        """The model that the data is from, if it is: its license applies to the data."""
        ...


class Part(Protocol):
    """A part in torch."""

    @property
    def module(self) -> Embedder: ...

    @property
    def features(self) -> TrainingFeatures: ...

    @property
    def fingerprint(self) -> str:
        """The same for the same pretrained vectors or weights."""
        ...

    def save(self, folder: Path) -> None:
        """Write what is needed in addition to the weights (words, vectors, a tokenizer) into a
        model folder. Training never changes it, so it is written once."""
        ...


@runtime_checkable
class Growing(Protocol):
    """A part that can learn words which the model it comes from did not know."""

    def grown(self, sentences: Sequence[Sentence]) -> Part:
        """The same part, with its weights, and new ones for what it lacks."""
        ...


class TrainingHalf(Protocol):
    def read(self, settings: Any) -> PartData | None:
        """Read the files that all runs can share, before the first one."""
        ...

    def build(
        self,
        settings: Any,
        source: Any,
        sentences: Sequence[Sentence],
        device: torch.device,
    ) -> Part:
        """A fresh part for training ``sentences``, its weights drawn from torch's current seed.

        ``source`` is the result of :meth:`read`. The part is still on the CPU; ``device`` is where
        a frozen model computes its vectors.
        """
        ...

    def load(self, settings: Any, folder: Path, device: torch.device) -> Part:
        """The part that was saved in a model folder, its trained weights still to be restored."""
        ...


class Session(Protocol):
    """An ONNX graph, ready to run. It raises innermost's errors."""

    path: Path

    def check_names(self, inputs: set[str], outputs: set[str], kind: str) -> None:
        """Refuse a graph with other inputs and outputs; ``kind`` is what it should be."""
        ...

    def size(self, name: str, axis: int) -> int:
        """A fixed size of an input."""
        ...

    def run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]: ...

    def first_run(self, outputs: Sequence[str], feed: Mapping[str, Array]) -> list[Array]:
        """A run on the smallest input, once after opening, with limits on time and memory."""
        ...


class Opening(Protocol):
    """How the files of a model are opened."""

    @property
    def device(self) -> str:
        """Where graphs run: ``cpu`` or ``cuda``."""
        ...

    def session(self, path: Path) -> Session:
        """An ONNX graph as a session of ONNX Runtime."""
        ...

    def array(self, path: Path, shape: tuple[int | None, ...]) -> Array:
        """The array of an ``.npy`` file, in memory or mapped; ``None``: any size."""
        ...


class RuntimeFeatures(Protocol):
    """Turns sentences into the features of a model's network."""

    dimension: int
    context: int
    """How much of the neighboring sentences is used; 0: nothing."""

    def prepare(self, documents: TokenizedDocuments) -> Sequence[Any]:
        """One item for each sentence of each document."""
        ...

    def part(self, item: Any, start: int, end: int, /) -> Any:
        """An item for only these tokens of a sentence."""
        ...

    def __call__(self, items: Sequence[Any], /) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        ...


@runtime_checkable
class WordFeatures(Protocol):
    """Features of words with vectors of their own."""

    def knows(self, word: str, /) -> bool:
        """Whether the word has a vector."""
        ...


@runtime_checkable
class GroupedRuntimeFeatures(Protocol):
    """Features that are computed for several sentences at once."""

    def groups(self, items: Sequence[Any], /) -> Sequence[int]:
        """The group of each item, as ascending numbers.

        What was computed for a sentence is in memory until its batch, which should be soon.
        """
        ...


class RuntimeHalf(Protocol):
    def open_features(self, folder: Path, settings: Any, opening: Opening) -> RuntimeFeatures:
        """The features of an exported model folder."""
        ...


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How to write the files of a part."""

    int8: bool = False
    vectors: Storage | None = None
    """How to store word vectors; None: int8 with ``int8`` unless they already are
    quantized, else unchanged."""
    top: int | None = None
    """Keep this many of the most frequent pretrained words, ..."""
    keep: Iterable[str] = ()
    """... and those that these words need."""


@runtime_checkable
class Restorable(Protocol):
    """A module ``export.py`` that can also read the weights back from an exported folder."""

    def exported_weights(self, folder: Path, settings: Any) -> Weights:
        """The part's own, under the names of its module."""
        ...


class ExportHalf(Protocol):
    WORD_VECTORS: bool
    """Whether the part has word vectors that can be stored in fewer bytes."""

    def largest_feature(self, folder: Path, weights: Weights) -> float | None:
        """A bound on the absolute values of all features; None: unknown."""
        ...

    def export(
        self, folder: Path, out: Path, settings: Any, weights: Weights, options: ExportOptions
    ) -> None:
        """Write the files that :meth:`RuntimeHalf.open_features` reads.

        ``folder`` was written by training, and may be ``out`` itself; ``weights`` are those of the
        part, with the names that its module uses.
        """
        ...
