"""The steps from text to entities: tokenize, features, network, decoding, scores, documents."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from innermost import crf
from innermost.arrays import Floats, Ints
from innermost.corpus.sentence import Sentence, documents
from innermost.document import Document, ScoredSpan, assemble
from innermost.errors import InnermostWarning, ResourceError
from innermost.parts.contract import GroupedRuntimeFeatures, RuntimeFeatures, TokenizedDocuments
from innermost.runtime.batches import batches, windows
from innermost.runtime.encoder import Encoder
from innermost.runtime.inputs import Draft, Item, check_tokens, draft
from innermost.text import Tokenizer

BATCH_TOKENS = 2_048
"""Tokens in a batch, padding included."""
WINDOW_TOKENS, WINDOW_ITEMS = 32_768, 4_096
"""How much of a stream is sorted by length at a time, ..."""
GROUPED_TOKENS = 8_192
"""... and how much if features are computed in groups, since they are in memory until their
batch."""
STRETCH, STRETCH_CONTEXT = 4_096, 256
"""A longer sentence is encoded in stretches, with this many tokens of context on both sides."""
MAX_LEVELS, MAX_LEVELS_IN_STRETCHES = 64, 8
"""Nesting this deep does not occur in language, only in repeated tokens. Each level takes another
pass over the sentence; without a limit the time would grow with the square of its length."""

Clock = Callable[[str], None]
"""Called with the name of each stage when it ends."""


def no_clock(stage: str) -> None:
    """Measure nothing."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """How a model predicts. Use ``dataclasses.replace`` for variants."""

    tokenizer: Tokenizer
    split_sentences: bool
    features: RuntimeFeatures
    encoder: Encoder
    rows: Sequence[int] | None
    """Indices of the network's types that are decoded; None: all."""
    types: Sequence[str]
    """Their labels."""
    palette: Sequence[str]
    """The labels that determine the colors of documents."""
    temperature: np.float32
    max_depth: int | None = None
    min_scores: Sequence[float] = ()
    """The minimum score of each type."""
    batch_tokens: int = BATCH_TOKENS
    clock: Clock = no_clock

    def documents(self, items: Iterable[Item]) -> Iterator[Document]:
        """The documents of a stream, in order; only one window of it is in memory at a time."""
        groups = self._groups(self._draft(item) for item in items)
        for window in windows(groups, _size, WINDOW_TOKENS, WINDOW_ITEMS):
            parts = [[tokens for d in group for tokens in d.sentences] for group in window]
            spans = iter(self._spans(parts))
            ready = [
                assemble(d.text, d.offsets, [next(spans) for _ in d.offsets], self.palette)
                for group in window
                for d in group
            ]
            self.clock("output")
            yield from ready

    def _groups(self, drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
        """Items that are read together: neighbors in a document, if the model uses context."""
        if not self.features.context:
            yield from ([draft] for draft in drafts)
            return
        alone = itertools.count()
        for _, group in groupby(drafts, lambda d: next(alone) if d.doc is None else d.doc):
            yield list(group)

    def sentences(self, sentences: Iterable[Sentence]) -> Iterator[list[ScoredSpan]]:
        """The entities of corpus sentences in token offsets, as a stream, in order."""

        def size(group: list[Sentence]) -> int:
            for sentence in group:
                check_tokens(sentence.tokens)
            return sum(len(sentence.tokens) for sentence in group)

        # Neighbors in a document are kept together only if the model uses context.
        grouped = (group for _, group in documents(sentences))
        groups = grouped if self.features.context else ([sentence] for sentence in sentences)
        for window in windows(groups, size, WINDOW_TOKENS, WINDOW_ITEMS):
            yield from self._spans([[sentence.tokens for sentence in group] for group in window])

    def decoded(
        self, sentences: Sequence[Sentence]
    ) -> Iterator[tuple[list[Sentence], Floats, Ints, crf.Entities]]:
        """The batches of ``sentences`` with their emissions, lengths and entities, unscored."""
        groups = [[s.tokens for s in group] for _, group in documents(sentences)]
        items = self.features.prepare(groups)
        for batch in batches([len(s.tokens) for s in sentences], self.batch_tokens):
            lengths = np.array([len(sentences[index].tokens) for index in batch])
            emissions = self._emissions([items[index] for index in batch], lengths)
            entities = self._entities(emissions, lengths)
            yield [sentences[index] for index in batch], emissions, lengths, entities

    def _draft(self, item: Item) -> Draft:
        ready = draft(item, self.tokenizer, split=self.split_sentences)
        self.clock("tokenize")
        return ready

    def _spans(self, documents: TokenizedDocuments) -> list[list[ScoredSpan]]:
        """The entities of all sentences of all documents, one after the other."""
        lengths = [len(tokens) for sentences in documents for tokens in sentences]
        items = self.features.prepare(documents)
        result: list[list[ScoredSpan]] = [[] for _ in lengths]
        for batch in self._batches(items, lengths):
            spans = self._batch([items[i] for i in batch], np.array([lengths[i] for i in batch]))
            for index, own in zip(batch, spans, strict=True):
                result[index] = own
        return result

    def _batches(self, items: Sequence[Any], lengths: Sequence[int]) -> Iterator[list[int]]:
        features = self.features
        groups = (
            features.groups(items)
            if isinstance(features, GroupedRuntimeFeatures)
            else range(len(items))
        )
        if len(set(groups)) == len(items):
            yield from batches(lengths, self.batch_tokens)
            return
        for portion in windows(range(len(items)), lengths.__getitem__, GROUPED_TOKENS, len(items)):
            yield from batches(lengths, self.batch_tokens, [[index] for index in portion])

    def _batch(self, items: Sequence[Any], lengths: Ints) -> list[list[ScoredSpan]]:
        """The entities of a batch; if memory is short, of its halves."""
        try:
            return self._entities_of(items, lengths)
        except (ResourceError, MemoryError):
            if len(items) == 1:
                raise
        warnings.warn(
            f"not enough memory for {len(items):,} sentences at a time: continuing with half",
            InnermostWarning,
            stacklevel=2,
        )
        half = len(items) // 2
        first = self._batch(items[:half], lengths[:half])
        return first + self._batch(items[half:], lengths[half:])

    def _entities_of(self, items: Sequence[Any], lengths: Ints) -> list[list[ScoredSpan]]:
        emissions = self._emissions(items, lengths)
        entities = self._entities(emissions, lengths)
        scores = crf.score(emissions / self.temperature, lengths, entities)
        self.clock("scores")
        types, least = self.types, self.min_scores
        spans = [
            [
                ScoredSpan(start, end, types[kind], level, score)
                for start, end, kind, level, score in sentence
                if score >= least[kind]
            ]
            for sentence in entities.tolists(scores)
        ]
        self.clock("output")
        return spans

    def _entities(self, emissions: Floats, lengths: Ints) -> crf.Entities:
        in_stretches = emissions.shape[2] > STRETCH
        deepest = MAX_LEVELS_IN_STRETCHES if in_stretches else MAX_LEVELS
        entities = crf.find(emissions, lengths, self.max_depth or deepest)
        if self.max_depth is None and entities.level.max(initial=0) == deepest:
            warnings.warn(
                f"entities nested {deepest} levels deep: anything inside them was not decoded; "
                "set max_depth to decode further",
                InnermostWarning,
                stacklevel=2,
            )
        self.clock("decode")
        return entities

    def _emissions(self, items: Sequence[Any], lengths: Ints) -> Floats:
        if len(items) == 1 and lengths[0] > STRETCH:
            return self._emissions_in_stretches(items[0], int(lengths[0]))
        features = self.features(items)
        self.clock("features")
        emissions = self._selected(self.encoder(features, lengths))
        self.clock("encoder")
        return emissions

    def _emissions_in_stretches(self, item: Any, length: int) -> Floats:
        """Encode in stretches, so that memory does not grow with the sentence."""
        parts: list[Floats] = []
        for start in range(0, length, STRETCH):
            first = max(start - STRETCH_CONTEXT, 0)
            last = min(start + STRETCH + STRETCH_CONTEXT, length)
            features = self.features([self.features.part(item, first, last)])
            emissions = self._selected(self.encoder(features, np.array([last - first])))
            parts.append(emissions[:, :, start - first :][:, :, :STRETCH])
        self.clock("encoder")
        return np.concatenate(parts, axis=2)

    def _selected(self, emissions: Floats) -> Floats:
        """The emissions of the selected types: the others are never decoded."""
        return emissions if self.rows is None else emissions[:, self.rows]


def _size(group: Sequence[Draft]) -> int:
    return sum(draft.size for draft in group)
