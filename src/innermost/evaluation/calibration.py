"""Calibration: whether a score of 0.8 means correct in 8 of 10 cases, and thresholds."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from innermost.arrays import Doubles
from innermost.evaluation.alignment import SpanScores
from innermost.evaluation.counts import distinct
from innermost.nest import Span

SHOWN_POINTS = 200
"""Points of a curve on a page or in JSON; more would not be visible."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions with a score in [low, high): their mean score, and how often they are correct."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """The result of keeping only predictions with at least this score."""

    score: float
    precision: float
    recall: float
    f1: float


class Calibration:
    """Collects scored predictions; predictions without a score are counted in ``unscored``."""

    def __init__(self) -> None:
        self._scores = array("d")
        self._correct = array("b")
        self._gold = 0
        self._known_curve: Doubles | None = None
        self.unscored = 0

    def add(self, gold: Collection[Span], predicted: SpanScores) -> None:
        gold_set = distinct(gold)
        self._gold += len(gold_set)
        self._known_curve = None
        for span, score in predicted.items():
            if score is None:
                self.unscored += 1
            else:
                self._scores.append(score)
                self._correct.append(span in gold_set)

    @property
    def scores(self) -> Doubles:
        return np.array(self._scores, dtype=np.float64)

    @property
    def correct(self) -> Doubles:
        return np.array(self._correct, dtype=np.float64)

    def __bool__(self) -> bool:
        """Whether there is something to calibrate: scores, and one for every prediction."""
        return bool(self._scores) and not self.unscored

    def reliability(self, bins: int = 10) -> list[Bin]:
        """Equal-width bins; the last one includes 1.0. Empty bins have confidence 0."""
        scores, correct = self.scores, self.correct
        which = np.minimum((scores * bins).astype(np.int64), bins - 1)
        count = np.bincount(which, minlength=bins)
        at_least_one = np.maximum(count, 1)
        confidence = np.bincount(which, weights=scores, minlength=bins) / at_least_one
        accuracy = np.bincount(which, weights=correct, minlength=bins) / at_least_one
        return [
            Bin(i / bins, (i + 1) / bins, int(count[i]), float(confidence[i]), float(accuracy[i]))
            for i in range(bins)
        ]

    def expected_error(self, bins: int = 10) -> float:
        """ECE: the mean distance between confidence and accuracy over the predictions."""
        table = self.reliability(bins)
        total = sum(b.count for b in table)
        gaps = sum(b.count * abs(b.confidence - b.accuracy) for b in table)
        return gaps / total if total else 0.0

    def brier(self) -> float:
        """The mean squared distance of the score from 1 (correct) or 0 (wrong)."""
        return float(np.mean((self.scores - self.correct) ** 2)) if self._scores else 0.0

    def thresholds(self, most: int | None = None) -> list[Threshold]:
        """Precision and recall at every distinct score, from the highest down.

        With ``most``, at most that many, evenly spaced, including both ends.
        """
        curve = self._curve
        if most is not None and len(curve) > most:
            curve = curve[np.linspace(0, len(curve) - 1, most).round().astype(int)]
        return [Threshold(*row) for row in curve.tolist()]

    def best_threshold(self) -> Threshold | None:
        """The threshold with the highest F1; of several, the highest."""
        curve = self._curve
        return Threshold(*curve[curve[:, 3].argmax()].tolist()) if len(curve) else None

    @property
    def _curve(self) -> Doubles:
        """Computed once: sorting millions of scores takes a while."""
        if self._known_curve is None:
            self._known_curve = self._compute_curve()
        return self._known_curve

    def _compute_curve(self) -> Doubles:
        """One row per distinct score: the fields of ``Threshold``."""
        order = np.argsort(-self.scores, kind="stable")
        scores = self.scores[order]
        right = np.cumsum(self.correct[order])
        last_of_its_score = np.append(scores[1:] != scores[:-1], True)[: len(scores)]
        kept = (np.arange(len(scores)) + 1)[last_of_its_score]
        right, scores = right[last_of_its_score], scores[last_of_its_score]
        precision = right / kept
        recall = right / self._gold if self._gold else np.zeros_like(right)
        f1 = 2 * right / (kept + self._gold)
        return np.stack([scores, precision, recall, f1], axis=1)

    def to_dict(self) -> dict[str, Any]:
        best = self.best_threshold()
        return {
            "ece": self.expected_error(),
            "brier": self.brier(),
            "reliability": [asdict(b) for b in self.reliability()],
            "best_threshold": None if best is None else asdict(best),
            "precision_recall": [asdict(t) for t in self.thresholds(SHOWN_POINTS)],
        }
