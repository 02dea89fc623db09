"""The interface of embedders: features that turn sentences into tensors, and a module that gives
each token a vector.

A batch has no padding. Its rows are the tokens in *packed* order: the first tokens of all
sentences, then the second ones, and so on, the sentences in descending order of length. That is
the order that the fused LSTM kernels read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from innermost.arrays import Ints
from innermost.corpus import Sentence


@dataclass(frozen=True, slots=True)
class Layout:
    """The token in each row of a batch."""

    sentence: Tensor
    """``[row]``: the longest sentence is 0."""
    token: Tensor
    """``[row]``"""
    batch_sizes: Tensor
    """``[token]``: the number of sentences that have it; stays on the CPU."""
    lengths: Tensor
    """``[sentence]``; stays on the CPU."""

    @classmethod
    def of(cls, lengths: Sequence[int]) -> Layout:
        """The layout of sentences with these lengths, which must be in descending order."""
        sizes = np.array(lengths, dtype=np.int64)
        if (np.diff(sizes) > 0).any():
            raise ValueError("the sentences of a batch must be in descending order of length")
        inside = np.arange(sizes[0]) < sizes[:, None]
        token, sentence = np.nonzero(inside.T)
        parts = (sentence, token, inside.sum(axis=0), sizes)
        return cls(*map(torch.from_numpy, parts))

    def to(self, device: torch.device | str) -> Layout:
        sentence = self.sentence.to(device, non_blocking=True)
        token = self.token.to(device, non_blocking=True)
        return Layout(sentence, token, self.batch_sizes, self.lengths)

    def order(self) -> Ints:
        """``[row]``: the index of its token in the concatenated sentences."""
        lengths = self.lengths.numpy()
        starts = np.cumsum(lengths) - lengths
        order: Ints = starts[self.sentence.numpy()] + self.token.numpy()
        return order


class Movable(Protocol):
    """The input of one embedder for a batch."""

    def to(self, device: torch.device | str) -> Any: ...


class TrainingFeatures(Protocol):
    """Turns sentences into the input of an embedder's module."""

    def prepare(self, sentences: Sequence[Sentence]) -> list[Any]:
        """One item per sentence, for a whole corpus at once, so that slow constant work is done
        only once and neighbors in a document are visible."""
        ...

    def collate(self, items: Sequence[Any], layout: Layout) -> Movable:
        """Join the items of one batch, in the order of the layout's sentences."""
        ...


@runtime_checkable
class GroupedTrainingFeatures(Protocol):
    """Features whose embedder reads several sentences at once."""

    def groups(self, items: Sequence[Any], /) -> Sequence[int]:
        """The group of each item, as ascending numbers; in one batch, a group is read only once."""
        ...


class Embedder(nn.Module):
    """Gives each token a vector: ``forward(collated batch) -> [row, width]``."""

    width: int

    def own_rates(self) -> Iterator[dict[str, Any]]:
        """Groups of parameters with their own learning rate.

        Each has ``params`` and ``rate`` and, optionally, ``weight_decay``. The others use the rate
        of the training configuration.
        """
        return iter(())
