"""What to annotate next: the sentences of a pool about which a model is least certain.

Near-duplicates teach the same thing twice, so each choice reduces the value of similar sentences.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import log
from typing import NamedTuple
from zlib import crc32

import numpy as np

from innermost import crf
from innermost.arrays import Doubles, Floats
from innermost.corpus import Sentence
from innermost.nest import Span
from innermost.runtime.model import Model

CANDIDATES = 10
"""For each sentence to choose, this many of the most uncertain ones are considered."""
WINDOW = 4_096
"""Sentences of the pool that are in memory at once, in addition to the candidates."""
DIMENSIONS = 1_024
"""The size of the word vectors that are compared; hashing may map words to the same dimension."""


class Suggestion(NamedTuple):
    sentence: Sentence
    """With its predicted entities and their scores."""
    uncertainty: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sentences to choose, and how many."""

    count: int
    per_token: bool = False
    """Rank by uncertainty per token, not per sentence, which favors short sentences."""
    min_tokens: int = 3
    """Shorter sentences are usually headings or fragments of tables."""


def suggest(
    model: Model, pool: Iterable[Sentence], wanted: Wanted, known: Iterable[Sentence] = ()
) -> list[Suggestion]:
    """The sentences of ``pool`` to annotate next, the most useful first.

    Sentences in ``known``, which are already annotated, are skipped, and so are repetitions.
    """
    seen = {tuple(sentence.tokens) for sentence in known}
    new = _unseen(pool, seen, wanted.min_tokens)
    scored = (
        suggestion
        for window in iter(lambda: list(islice(new, WINDOW)), [])
        for suggestion in _assessed(model, window)
    )

    def worth(suggestion: Suggestion) -> float:
        length = len(suggestion.sentence.tokens) if wanted.per_token else 1
        return suggestion.uncertainty / length

    candidates = heapq.nlargest(CANDIDATES * wanted.count, scored, key=worth)
    values = np.array([worth(candidate) for candidate in candidates])
    vectors = word_vectors([candidate.sentence.tokens for candidate in candidates])
    return [candidates[i] for i in diverse(values, vectors, wanted.count)]


def diverse(worth: Doubles, vectors: Floats, count: int) -> list[int]:
    """Choose the most valuable item repeatedly, discounted by similarity to earlier choices.

    ``vectors [candidate, dimension]`` have length 1; the similarity of two is their product.
    """
    chosen: list[int] = []
    similarity = np.zeros(len(worth), dtype=vectors.dtype)
    left = np.ones(len(worth), dtype=np.bool_)
    while len(chosen) < min(count, len(worth)):
        best = int(np.argmax(np.where(left, worth * (1 - similarity), -np.inf)))
        chosen.append(best)
        left[best] = False
        np.maximum(similarity, np.minimum(vectors @ vectors[best], 1.0), out=similarity)
    return chosen


def word_vectors(sentences: Sequence[Sequence[str]]) -> Floats:
    """``[sentence, dimension]``: the words of each sentence, rare ones with more weight.

    Hashing gives each word a dimension and a sign.
    """
    forms = [Counter(token.lower() for token in tokens) for tokens in sentences]
    containing = Counter(form for counts in forms for form in counts)
    places = {form: divmod(crc32(form.encode()), 2) for form in containing}
    vectors = np.zeros((len(sentences), DIMENSIONS), dtype=np.float32)
    for row, counts in zip(vectors, forms, strict=True):
        for form, count in counts.items():
            place, is_negative = places[form]
            weight = (1 + log(count)) * log(1 + len(sentences) / containing[form])
            row[place % DIMENSIONS] += -weight if is_negative else weight
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(lengths, np.finfo(np.float32).tiny)
    return vectors


def _unseen(
    pool: Iterable[Sentence], seen: set[tuple[str, ...]], min_tokens: int
) -> Iterator[Sentence]:
    for sentence in pool:
        tokens = tuple(sentence.tokens)
        if len(tokens) >= min_tokens and tokens not in seen:
            seen.add(tokens)
            yield sentence


def _assessed(model: Model, sentences: Sequence[Sentence]) -> Iterator[Suggestion]:
    """Each with its predictions and uncertainty."""
    for batch, emissions, lengths, entities in model.decoded(sentences):
        scaled = emissions / model.pipeline.temperature
        scores = crf.score(scaled, lengths, entities)
        uncertainties = crf.entropy(scaled, lengths, entities, scores).tolist()
        rows = zip(batch, entities.tolists(scores), uncertainties, strict=True)
        for sentence, decoded, uncertainty in rows:
            spans = {Span(a, b, model.types[kind]): score for a, b, kind, _, score in decoded}
            annotated = replace(sentence, entities=list(spans), scores=spans)
            yield Suggestion(annotated, uncertainty)
