"""Breakdowns of the counts, whose parts always add up to the total."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

from innermost.corpus import Sentence
from innermost.evaluation.counts import Counts, distinct, of_both_sides
from innermost.nest import Span
from innermost.nest.levels import apart

Surface: TypeAlias = tuple[str, ...]
_Key: TypeAlias = tuple[int, str, str | None, str | None, str | None]

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
    """Counts by length, kind of sentence, place in the nest, and presence in the training data.

    - ``length``: tokens of the entity;
    - ``sentence``: whether gold has nested entities (of any types), only flat ones, or none;
    - ``place``: ``inner`` is inside another entity on the same side, of any type, ``outer``
      contains one and is inside none, ``alone`` neither;
    - ``form``: whether the training data, if given, has an entity with this surface form.
    """

    def __init__(self, seen: SeenForms | None = None, *, paper_counts: bool = False) -> None:
        self._seen = seen
        self._paper_counts = paper_counts
        # By length, sentence, form, and place in gold and predictions, or None.
        self._distinct: Counter[_Key] = Counter()
        self._repeated: Counter[_Key] = Counter()

    def add(self, sentence: Sentence, predicted: Collection[Span]) -> None:
        gold = sentence.entities
        in_gold, in_predicted = of_both_sides(places, distinct(gold), distinct(predicted))
        kind = "nested" if "inner" in in_gold.values() else "flat" if in_gold else "no entities"
        times = Counter(gold) if self._paper_counts and len(gold) > len(in_gold) else {}
        form = None
        for span in in_gold | in_predicted:
            start, end, label = span
            if self._seen is not None:
                form = self._seen.kind(tuple(sentence.tokens[start:end]), label)
            key = end - start, kind, form, in_gold.get(span), in_predicted.get(span)
            self._distinct[key] += 1
            if times.get(span, 1) > 1:
                self._repeated[key] += times[span] - 1

    @property
    def tables(self) -> dict[str, dict[str, Counts]]:
        """Counts by breakdown and part."""
        tables = {
            "length": self._table(lambda key: (length_class(key[0]), length_class(key[0]))),
            "sentence": self._table(lambda key: (key[1], key[1])),
            "place": self._table(lambda key: (key[3], key[4])),
        }
        if self._seen is not None:
            tables["form"] = self._table(lambda key: (key[2], key[2]))
        return tables

    def _table(
        self, parts_of: Callable[[_Key], tuple[str | None, str | None]]
    ) -> dict[str, Counts]:
        """``parts_of`` returns the parts of a key in gold and predictions."""
        table: defaultdict[str, Counts] = defaultdict(Counts)
        for key, number in self._distinct.items():
            gold_part, predicted_part = parts_of(key)
            in_gold, in_predicted = key[3] is not None, key[4] is not None
            right = in_gold and in_predicted
            mentions = number + self._repeated[key]
            if in_gold and gold_part is not None:
                table[gold_part] += Counts(mentions, 0, 0, mentions if right else 0)
            if in_predicted and predicted_part is not None:
                table[predicted_part] += Counts(0, number, number if right else 0, 0)
        return {part: table[part] for part in sorted(table, key=_reading_order)}


def length_class(tokens: int) -> str:
    return next((name for most, name in _LENGTHS if tokens <= most), "21+")


def places(spans: Collection[Span]) -> dict[Span, str]:
    """The place of each of the distinct ``spans`` in their nesting, whatever their types."""
    place = dict.fromkeys(spans, "alone")
    if apart(spans):
        return place
    reached = 0
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        start, end, _ = span
        if start >= reached:
            open_spans.clear()
        for other in open_spans:
            if end <= other[1] and (start, end) != other[:2]:
                place[span] = "inner"
                if place[other] == "alone":
                    place[other] = "outer"
        open_spans.append(span)
        reached = max(reached, end)
    return place


_ORDER = [name for _, name in _LENGTHS] + ["21+", "flat", "nested", "no entities"]
_ORDER += ["alone", "outer", "inner", "seen", "seen with another type", "unseen"]
_reading_order = {name: index for index, name in enumerate(_ORDER)}.__getitem__
