"""Concatenated embedders, a BiLSTM over them, and one linear layer for the emissions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, cast

import torch
from torch import Tensor, nn

from innermost.corpus import Sentence
from innermost.network.embedder import (
    Embedder,
    GroupedTrainingFeatures,
    Layout,
    Movable,
    TrainingFeatures,
)
from innermost.network.lstm import VariationalBiLSTM
from innermost.network.vector_cache import CachedFeatures

TAGS = 5


@dataclass(frozen=True, slots=True)
class TaggerInput:
    """A batch: its layout, and the input of each embedder."""

    layout: Layout
    parts: tuple[Movable, ...]

    @property
    def lengths(self) -> Tensor:
        return self.layout.lengths

    def to(self, device: torch.device | str) -> TaggerInput:
        return TaggerInput(self.layout.to(device), tuple(part.to(device) for part in self.parts))


@dataclass(frozen=True, slots=True)
class Item:
    """A prepared sentence."""

    length: int
    parts: tuple[Any, ...]


class TaggerFeatures:
    """The features of all embedders of a model."""

    def __init__(self, parts: Sequence[TrainingFeatures]) -> None:
        self._parts = tuple(parts)

    def fill(self, sentences: Sequence[Sentence]) -> Iterator[tuple[int, int]]:
        """Let frozen models compute the vectors that :meth:`prepare` will read; yields the words
        done and in total, for each model whose vectors are not cached."""
        for part in self._parts:
            if isinstance(part, CachedFeatures):
                yield from part.fill(sentences)

    def prepare(self, sentences: Sequence[Sentence]) -> list[Item]:
        columns = [part.prepare(sentences) for part in self._parts]
        rows = zip(*columns, strict=True)
        return [Item(len(s.tokens), row) for s, row in zip(sentences, rows, strict=True)]

    def groups(self, items: Sequence[Item]) -> list[list[int]]:
        """Indices of the items that belong in the same batch: most often, of each one alone."""
        numbers: Sequence[int] = range(len(items))
        for column, part in enumerate(self._parts):
            if isinstance(part, GroupedTrainingFeatures):
                numbers = part.groups([item.parts[column] for item in items])
        return [list(own) for _, own in groupby(range(len(items)), numbers.__getitem__)]

    def collate(self, items: Sequence[Item]) -> TaggerInput:
        """A batch of prepared sentences, which must be in descending order of length."""
        layout = Layout.of([item.length for item in items])
        columns = zip(*(item.parts for item in items), strict=True)
        collated = (p.collate(c, layout) for p, c in zip(self._parts, columns, strict=True))
        return TaggerInput(layout, tuple(collated))


class Tagger(nn.Module):
    """Tokens to emissions: ``[sentence, type, token, 5]``."""

    def __init__(
        self,
        embedders: Mapping[str, Embedder],
        types: int,
        *,
        hidden: int,
        layers: int,
        dropout: float,
        recurrent_dropout: float,
    ) -> None:
        super().__init__()
        self.types = types
        self._names = tuple(embedders)
        for name, embedder in embedders.items():
            self.add_module(name, embedder)
        self.lstm = VariationalBiLSTM(
            sum(embedder.width for embedder in embedders.values()),
            hidden,
            layers,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
        )
        self.emit = nn.Linear(self.lstm.width, types * TAGS)
        nn.init.xavier_uniform_(self.emit.weight)
        nn.init.zeros_(self.emit.bias)

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        return tuple(cast(Embedder, self.get_submodule(name)) for name in self._names)

    def forward(self, batch: TaggerInput) -> Tensor:
        vectors = [e(part) for e, part in zip(self.embedders, batch.parts, strict=True)]
        layout = batch.layout
        # Low precision is for the embedders; here it would save little and degrade the scores.
        with torch.autocast(vectors[0].device.type, enabled=False):
            embedded = torch.cat([v.float() for v in vectors], -1)
            states = self.lstm(embedded, layout.batch_sizes, layout.sentence)
            emissions: Tensor = self.emit(states)
        sentences, longest = len(layout.lengths), len(layout.batch_sizes)
        padded = emissions.new_zeros(sentences * longest, self.types * TAGS)
        padded = padded.index_copy(0, layout.sentence * longest + layout.token, emissions)
        return padded.view(sentences, longest, self.types, TAGS).transpose(1, 2)

    def parameter_groups(
        self, learning_rate: float, encoder_rate: float = 1.0
    ) -> list[dict[str, Any]]:
        """All trained parameters, for an optimizer; each group has its own ``rate``.

        ``encoder_rate`` is the rate of everything below the heads, relative to theirs.
        """
        own = [group for embedder in self.embedders for group in embedder.own_rates()]
        taken = {id(parameter) for group in own for parameter in group["params"]}
        rest = [p for p in self.parameters() if p.requires_grad and id(p) not in taken]
        if encoder_rate == 1:
            return [{"params": rest, "rate": learning_rate}, *own]
        heads = list(self.emit.parameters())
        taken = {id(parameter) for parameter in heads}
        encoder = [p for p in rest if id(p) not in taken]
        groups: list[dict[str, Any]] = [{"params": heads, "rate": learning_rate}]
        if encoder:
            groups.append({"params": encoder, "rate": encoder_rate * learning_rate})
        return [*groups, *own]
