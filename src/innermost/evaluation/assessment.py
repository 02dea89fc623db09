"""The scores of one system on one dataset, and their confidence intervals."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from typing import Any

import numpy as np

from innermost.arrays import Ints
from innermost.corpus import Report, Sentence
from innermost.evaluation.alignment import SpanScores
from innermost.evaluation.calibration import Calibration
from innermost.evaluation.counts import Evaluation, distinct
from innermost.evaluation.significance import COLUMNS, Interval, bootstrap
from innermost.nest import Span
from innermost.plurals import count

ENOUGH_DOCUMENTS = 6
"""With fewer, the permutation test cannot find a difference significant at 5%."""


class UnitCounts:
    """The counts of each unit, a sentence or a document, for resampling: 32 bytes per unit."""

    def __init__(self, *, by_document: bool = False, paper_counts: bool = False) -> None:
        self.by_document = by_document
        self.paper_counts = paper_counts
        self._numbers = array("q")
        self._doc: str | None = None

    def add(self, doc: str | None, gold: Collection[Span], predicted: Collection[Span]) -> None:
        """Add a sentence; it starts a new unit unless it continues the previous document."""
        row = _counts(gold, predicted, paper_counts=self.paper_counts)
        if self.by_document and doc is not None and doc == self._doc:
            for place, number in enumerate(row, start=-len(row)):
                self._numbers[place] += number
        else:
            self._numbers.extend(row)
        self._doc = doc

    @property
    def rows(self) -> Ints:
        return np.array(self._numbers, dtype=np.int64).reshape(-1, len(COLUMNS))


def warn_of_few_documents(units: UnitCounts, report: Report) -> None:
    """Report documents that are too few to draw.

    Of the 2 ** n ways to swap n documents, two are always as extreme as the observed one.
    """
    number = len(units.rows)
    if not units.by_document or number >= ENOUGH_DOCUMENTS:
        return
    least = 2.0 ** (1 - number)
    tells = (
        "intervals are a single point and a p-value is always 1"
        if number == 1
        else f"intervals are too narrow and a p-value is never below {least:.4g}"
    )
    documents = count(number, "document")
    report.add(
        "warning",
        f"--by-document with {documents}",
        f"{tells}; use more documents, or draw sentences, without --by-document",
    )


class Assessment:
    """The counts and the calibration of one system, and the data for intervals and tests."""

    def __init__(self, name: str, *, paper_counts: bool = False, by_document: bool = False) -> None:
        self.name = name
        self.evaluation = Evaluation(paper_counts=paper_counts)
        self.calibration = Calibration()
        self.units = UnitCounts(by_document=by_document, paper_counts=paper_counts)

    def add(self, sentence: Sentence, predicted: SpanScores) -> set[Span]:
        """Count one sentence, and return the spans that were predicted there."""
        mentions, spans = sentence.entities, set(predicted)
        gold = mentions if self.evaluation.paper_counts else set(mentions)
        self.evaluation.add(gold, spans)
        self.calibration.add(gold, predicted)
        self.units.add(sentence.doc, gold, spans)
        return spans

    def intervals(self, seed: int = 0) -> dict[str, Interval]:
        """Bootstrap 95% intervals of precision, recall and F1."""
        return bootstrap(self.units.rows, seed=seed)

    def to_dict(self, seed: int = 0) -> dict[str, Any]:
        """Ready for JSON; scores are fractions."""
        return {
            **self.evaluation.to_dict(),
            "intervals": {name: i.to_dict() for name, i in self.intervals(seed).items()},
            "calibration": self.calibration.to_dict() if self.calibration else None,
        }


def _counts(
    gold: Collection[Span], predicted: Collection[Span], *, paper_counts: bool
) -> tuple[int, int, int, int]:
    """The counts in the order of ``COLUMNS``."""
    gold_set, predicted_set = distinct(gold), distinct(predicted)
    correct = len(gold_set & predicted_set)
    if not paper_counts:
        return len(gold_set), len(predicted_set), correct, correct
    found = sum(span in predicted_set for span in gold)
    return len(gold), len(predicted_set), correct, found
