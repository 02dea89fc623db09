"""The same counts split up, in ways whose parts always add up to the whole."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import TypeAlias

from innermost.corpus import Sentence
from innermost.evaluation.counts import Counts
from innermost.nest import Span
from innermost.nest.levels import apart

Surface: TypeAlias = tuple[str, ...]

_LENGTHS = [(1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "5"), (10, "6-10"), (20, "11-20")]


class SeenForms:
    """The surface forms of a training set's entities, with the types they had there."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._types: defaultdict[Surface, set[str]] = defaultdict(set)
        for sentence in sentences:
            for start, end, label in sentence.entities:
                self._types[tuple(sentence.tokens[start:end])].add(label)

    def kind(self, surface: Surface, label: str) -> str:
        types = self._types.get(surface)
        if types is None:
            return "unseen"
        return "seen" if label in types else "seen with another type"


class Breakdown:
    """Counts by length, kind of sentence, place in the nest, and whether training had the form.

    - ``length``: tokens of the entity;
    - ``sentence``: whether gold has nesting there (of any types), entities without, or none;
    - ``place``: ``inner`` lies within another entity of its own side, of any type, ``outer``
      contains one and lies within none, ``alone`` neither;
    - ``form``: whether an entity of this surface form is in the training data, when it is given.
    """

    def __init__(self, seen: SeenForms | None = None, *, paper_counts: bool = False) -> None:
        self._seen = seen
        self._paper_counts = paper_counts
        # One tally for each field of Counts, keyed by the entity's part in every breakdown.
        self._sides: tuple[Counter[tuple[str, ...]], ...] = tuple(Counter() for _ in range(4))

    def add(self, sentence: Sentence, predicted: Collection[Span]) -> None:
        gold_set, predicted_set = set(sentence.entities), set(predicted)
        gold_places = places(list(gold_set))
        if not gold_set:
            sentence_kind = "no entities"
        else:
            sentence_kind = "nested" if "inner" in gold_places.values() else "flat"
        mentions = sentence.entities if self._paper_counts else gold_set
        gold_total, predicted_total, correct, found = self._sides
        sides = (
            (mentions, gold_places, predicted_set, gold_total, found),
            (predicted_set, places(list(predicted_set)), gold_set, predicted_total, correct),
        )
        for spans, place, others, total, matched in sides:
            for span in spans:
                key = self._key(sentence, span, sentence_kind, place[span])
                total[key] += 1
                if span in others:
                    matched[key] += 1

    def _key(self, sentence: Sentence, span: Span, kind: str, place: str) -> tuple[str, ...]:
        start, end, label = span
        length = length_class(end - start)
        if self._seen is None:
            return length, kind, place
        return length, kind, place, self._seen.kind(tuple(sentence.tokens[start:end]), label)

    @property
    def tables(self) -> dict[str, dict[str, Counts]]:
        """Breakdown name, then part, then its counts."""
        names = ("length", "sentence", "place") + ("form",) * (self._seen is not None)
        return {name: self._table(index) for index, name in enumerate(names)}

    def _table(self, index: int) -> dict[str, Counts]:
        sides = []
        for tally in self._sides:
            side: Counter[str] = Counter()
            for key, number in tally.items():
                side[key[index]] += number
            sides.append(side)
        parts = sorted(set(sides[0]) | set(sides[1]), key=_reading_order)
        return {part: Counts(*(side[part] for side in sides)) for part in parts}


@cache
def length_class(tokens: int) -> str:
    return next((name for most, name in _LENGTHS if tokens <= most), "21+")


def places(spans: Sequence[Span]) -> dict[Span, str]:
    """Where each of the distinct ``spans`` lies in the nest they form, whatever their types."""
    if apart(spans):
        return dict.fromkeys(spans, "alone")
    inner: set[Span] = set()
    outer: set[Span] = set()
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        open_spans = [other for other in open_spans if other.end > span.start]
        around = [other for other in open_spans if other.contains(span)]
        if around:
            inner.add(span)
            outer.update(around)
        open_spans.append(span)
    return {s: "inner" if s in inner else "outer" if s in outer else "alone" for s in spans}


_ORDER = [name for _, name in _LENGTHS] + ["21+", "flat", "nested", "no entities"]
_ORDER += ["alone", "outer", "inner", "seen", "seen with another type", "unseen"]
_reading_order = {name: index for index, name in enumerate(_ORDER)}.__getitem__
