"""Counting: what was there, what was said, and how much of it was right.

An entity is right when its start, its end and its type are all those of a gold entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from innermost.nest import Span, levels

AS_CORRECT = -1


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers that add up, and the scores that follow from them (0.0 where undefined).

    ``correct`` counts predictions that are right and ``found`` gold entities that were predicted.
    They are one number unless the two sides are counted differently: repeated gold mentions, or
    a match that is looser than equality. Precision uses ``correct``, recall uses ``found``.
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

    def as_dict(self) -> dict[str, float]:
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
        self._gold: Counter[tuple[str, int]] = Counter()
        self._found: Counter[tuple[str, int]] = Counter()
        self._predicted: Counter[tuple[str, int]] = Counter()
        self._correct: Counter[tuple[str, int]] = Counter()

    def add(self, gold: Sequence[Span], predicted: Sequence[Span]) -> None:
        """Count one sentence."""
        self.sentences += 1
        distinct_gold = set(gold)
        distinct_predicted = set(predicted)
        mentions = gold if self.paper_counts else list(distinct_gold)
        _tally(mentions, distinct_predicted, self._gold, self._found)
        _tally(list(distinct_predicted), distinct_gold, self._predicted, self._correct)

    @property
    def micro(self) -> Counts:
        return Counts(
            self._gold.total(),
            self._predicted.total(),
            self._correct.total(),
            self._found.total(),
        )

    @property
    def types(self) -> dict[str, Counts]:
        """Counts of each label that occurs in gold or predictions, in alphabetical order."""
        sides = [_sum_by(side, 0) for side in self._sides()]
        labels = sorted(set(sides[0]) | set(sides[1]))
        return {label: Counts(*(side[label] for side in sides)) for label in labels}

    @property
    def gold_levels(self) -> dict[int, Counts]:
        """By level among the gold entities: ``recall`` is what to read (the paper's Table 5)."""
        gold, found = _sum_by(self._gold, 1), _sum_by(self._found, 1)
        return {level: Counts(gold[level], 0, found[level]) for level in sorted(gold)}

    @property
    def predicted_levels(self) -> dict[int, Counts]:
        """By level among the predictions: ``precision`` is what to read (the paper's Table 6)."""
        predicted, correct = _sum_by(self._predicted, 1), _sum_by(self._correct, 1)
        return {level: Counts(0, predicted[level], correct[level]) for level in sorted(predicted)}

    def __add__(self, other: Evaluation) -> Evaluation:
        if self.paper_counts != other.paper_counts:
            raise ValueError("one evaluation counts duplicates and the other merges them")
        result = Evaluation(paper_counts=self.paper_counts)
        result.sentences = self.sentences + other.sentences
        for into, mine, theirs in zip(result._sides(), self._sides(), other._sides(), strict=True):
            into.update(mine)
            into.update(theirs)
        return result

    def as_dict(self) -> dict[str, Any]:
        """Fractions and counts, ready for JSON."""
        return {
            "micro": self.micro.as_dict(),
            "types": {label: counts.as_dict() for label, counts in self.types.items()},
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

    def _sides(self) -> tuple[Counter[tuple[str, int]], ...]:
        """In the order of the fields of ``Counts``."""
        return self._gold, self._predicted, self._correct, self._found


def _tally(
    spans: Sequence[Span],
    others: set[Span],
    total: Counter[tuple[str, int]],
    matched: Counter[tuple[str, int]],
) -> None:
    for span, level in zip(spans, levels(spans), strict=True):
        _, _, label = span
        key = label, level
        total[key] += 1
        if span in others:
            matched[key] += 1


def _sum_by(tallies: Counter[tuple[str, int]], part: int) -> Counter[Any]:
    result: Counter[Any] = Counter()
    for key, number in tallies.items():
        result[key[part]] += number
    return result
