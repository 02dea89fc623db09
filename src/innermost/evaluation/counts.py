"""Counts of gold entities, predictions and matches, and the scores that follow from them.

A prediction is correct if its start, end and type are all those of a gold entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from innermost.evaluation.spans import AnySpan, spans_of
from innermost.nest import Span, levels
from innermost.nest.levels import apart

AS_CORRECT = -1

_Key: TypeAlias = tuple[str, int, int]
T = TypeVar("T")


def percent(fraction: float) -> str:
    """As scores are shown: ``77.87``."""
    return f"{100 * fraction:.2f}"


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers that add up, and the scores that follow from them (0.0 where undefined).

    ``correct`` counts the correct predictions, ``found`` the gold entities that were predicted.
    They are equal unless the two sides are counted differently: repeated gold mentions, or a match
    looser than equality. Precision uses ``correct``, recall uses ``found``.
    """

    gold: int = 0
    predicted: int = 0
    correct: int = 0
    found: int = AS_CORRECT

    def __post_init__(self) -> None:
        if self.found == AS_CORRECT:
            object.__setattr__(self, "found", self.correct)

    @property
    def precision(self) -> float:
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.found / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        if self.found == self.correct:
            total = self.gold + self.predicted
            return 2 * self.correct / total if total else 0.0
        total_score = self.precision + self.recall
        return 2 * self.precision * self.recall / total_score if total_score else 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.gold + other.gold,
            self.predicted + other.predicted,
            self.correct + other.correct,
            self.found + other.found,
        )

    def to_dict(self) -> dict[str, float]:
        result = {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "predicted": self.predicted,
            "correct": self.correct,
        }
        if self.found != self.correct:
            result["found"] = self.found
        return result


class Evaluation:
    """Counts over a stream of sentences, by type and by level; two evaluations add up.

    Exact duplicates are merged on both sides. With ``paper_counts`` each gold mention counts as
    often as it is annotated, as in the paper: recall is over mentions, precision over predictions.
    """

    def __init__(self, *, paper_counts: bool = False) -> None:
        self.paper_counts = paper_counts
        self.sentences = 0
        # By label, level in gold and level in the predictions; 0 if a side does not have it.
        self._distinct: Counter[_Key] = Counter()
        self._repeated: Counter[_Key] = Counter()
        """Repeated gold mentions, with ``paper_counts``."""

    def add(self, gold: Iterable[AnySpan], predicted: Iterable[AnySpan]) -> None:
        """Count one sentence.

        Entities are in token offsets: spans or other tuples that begin with start, end and label,
        as ``Model.predict_sentences`` returns them, or the entities of a ``Document``.
        """
        mentions, found = spans_of(gold), spans_of(predicted)
        self.sentences += 1
        in_gold, in_predicted = of_both_sides(level_of_each, set(mentions), set(found))
        tally = self._distinct
        for span in in_gold | in_predicted:
            tally[span[2], in_gold.get(span, 0), in_predicted.get(span, 0)] += 1
        if self.paper_counts and len(mentions) > len(in_gold):
            for span, times in Counter(mentions).items():
                key = span.label, in_gold[span], in_predicted.get(span, 0)
                self._repeated[key] += times - 1

    @property
    def micro(self) -> Counts:
        return sum(self.types.values(), Counts())

    @property
    def types(self) -> dict[str, Counts]:
        """Counts of each label that occurs in gold or predictions, in alphabetical order."""
        sides: tuple[Counter[str], ...] = tuple(Counter() for _ in range(4))
        for (label, gold_level, predicted_level), number, mentions in self._items():
            numbers = _numbers(gold_level, predicted_level, number, mentions)
            for side, times in zip(sides, numbers, strict=True):
                side[label] += times
        labels = sorted(set(sides[0]) | set(sides[1]))
        return {label: Counts(*(side[label] for side in sides)) for label in labels}

    @property
    def gold_labels(self) -> list[str]:
        """The labels that occur in gold, in alphabetical order."""
        return [label for label, counts in self.types.items() if counts.gold]

    @property
    def gold_levels(self) -> dict[int, Counts]:
        """By level among the gold entities: only ``recall`` is meaningful (the paper's Table 5)."""
        gold: Counter[int] = Counter()
        found: Counter[int] = Counter()
        for (_, level, predicted_level), _, mentions in self._items():
            gold[level] += mentions
            found[level] += mentions if predicted_level else 0
        return {level: Counts(gold[level], 0, found[level]) for level in sorted(gold) if level}

    @property
    def predicted_levels(self) -> dict[int, Counts]:
        """By level among the predictions: only ``precision`` is meaningful (Table 6)."""
        predicted: Counter[int] = Counter()
        correct: Counter[int] = Counter()
        for (_, gold_level, level), number, _ in self._items():
            predicted[level] += number
            correct[level] += number if gold_level else 0
        return {n: Counts(0, predicted[n], correct[n]) for n in sorted(predicted) if n}

    def __add__(self, other: Evaluation) -> Evaluation:
        if self.paper_counts != other.paper_counts:
            raise ValueError("one evaluation counts duplicates and the other merges them")
        result = Evaluation(paper_counts=self.paper_counts)
        result.sentences = self.sentences + other.sentences
        result._distinct = self._distinct + other._distinct
        result._repeated = self._repeated + other._repeated
        return result

    def _items(self) -> Iterator[tuple[_Key, int, int]]:
        """Each key with its number of distinct spans and of gold mentions."""
        for key, number in self._distinct.items():
            yield key, number, number + self._repeated[key]

    def to_dict(self) -> dict[str, Any]:
        """Fractions and counts, ready for JSON."""
        return {
            "micro": self.micro.to_dict(),
            "types": {label: counts.to_dict() for label, counts in self.types.items()},
            "levels": {
                "gold": {
                    str(level): {"recall": c.recall, "gold": c.gold, "found": c.found}
                    for level, c in self.gold_levels.items()
                },
                "predicted": {
                    str(level): {
                        "precision": c.precision,
                        "predicted": c.predicted,
                        "correct": c.correct,
                    }
                    for level, c in self.predicted_levels.items()
                },
            },
        }


def distinct(spans: Collection[Span]) -> set[Span]:
    """Each span once; a set is not copied."""
    return spans if isinstance(spans, set) else set(spans)


def of_both_sides(
    find: Callable[[set[Span]], dict[Span, T]], gold: set[Span], predicted: set[Span]
) -> tuple[dict[Span, T], dict[Span, T]]:
    """The results of ``find`` for both sides; if they agree, as is usual, it is called once."""
    in_gold = find(gold)
    return in_gold, in_gold if predicted == gold else find(predicted)


def level_of_each(spans: set[Span]) -> dict[Span, int]:
    if apart(spans):
        return dict.fromkeys(spans, 1)
    return dict(zip(spans, levels(list(spans)), strict=True))


def _numbers(
    gold_level: int, predicted_level: int, number: int, mentions: int
) -> tuple[int, int, int, int]:
    """The contribution of spans with these levels to the fields of ``Counts``."""
    return (
        mentions if gold_level else 0,
        number if predicted_level else 0,
        number if gold_level and predicted_level else 0,
        mentions if gold_level and predicted_level else 0,
    )
