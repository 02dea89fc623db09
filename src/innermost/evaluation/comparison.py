"""Compare two systems on the same data, or, without gold data, with each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from innermost.corpus import Report, Sentence
from innermost.corpus.quality.fingerprint import Fingerprint
from innermost.errors import UsageError
from innermost.evaluation.analysis.differences import Difference, sentence_difference
from innermost.evaluation.assessment import UnitCounts, warn_of_few_documents
from innermost.evaluation.counts import Counts, Evaluation
from innermost.evaluation.results import names
from innermost.evaluation.significance import Comparison, compare
from innermost.evaluation.systems import (
    is_prediction_file,
    of_types,
    side_by_side,
    some_sentences,
    warn_of_absent_types,
    warn_of_unannotated_types,
    warn_of_unknown_types,
)
from innermost.plurals import count


@dataclass(frozen=True, slots=True)
class SystemComparison:
    data: str
    fingerprint: str
    names: list[str]
    evaluations: list[Evaluation]
    comparison: Comparison
    by_document: bool
    differences: list[Difference] = field(default_factory=list)
    """The first sentences on which the systems differ, up to the requested number."""

    def to_dict(self) -> dict[str, Any]:
        difference = self.comparison.difference
        return {
            "systems": [
                {"name": name, **evaluation.to_dict()}
                for name, evaluation in zip(self.names, self.evaluations, strict=True)
            ],
            "difference": {"f1": difference.value, "low": difference.low, "high": difference.high},
            "p_value": self.comparison.p_value,
            "exact": self.comparison.exact,
            "units": self.comparison.units,
            "unit": self.unit,
            "data": self.data,
            "fingerprint": self.fingerprint,
        }

    def summary(self) -> list[str]:
        """The result in three lines."""
        difference = self.comparison.difference
        f1 = ", ".join(
            f"{name} {100 * evaluation.micro.f1:.2f}"
            for name, evaluation in zip(self.names, self.evaluations, strict=True)
        )
        how = "exact" if self.comparison.exact else "sampled"
        return [
            f"{self.data}: fingerprint {self.fingerprint}, "
            f"{count(self.comparison.units, self.unit)}. F1: {f1}.",
            f"{self.names[0]} - {self.names[1]}: {100 * difference.value:+.2f} F1, 95% interval "
            f"{100 * difference.low:+.2f} to {100 * difference.high:+.2f} (bootstrap).",
            f"{_p_value(self.comparison.p_value)} (two-sided permutation test, {how}).",
        ]

    @property
    def unit(self) -> str:
        return "document" if self.by_document else "sentence"


def _p_value(p: float) -> str:
    return f"p = {p:.4f}" if round(p, 4) else "p < 0.0001"


def compare_systems(
    first: str | Path,
    second: str | Path,
    sentences: Iterable[Sentence],
    *,
    data: str,
    samples: int = 10_000,
    by_document: bool = False,
    paper_counts: bool = False,
    seed: int = 0,
    keep: int = 0,
    layer: str | None = None,
    types: Collection[str] | None = None,
    report: Report | None = None,
) -> SystemComparison:
    """Micro-F1 of two systems, their difference, its bootstrap interval and permutation test.

    Only predictions of ``types`` count, if given. The first ``keep`` sentences on which they differ
    are kept.
    """
    evaluations = [Evaluation(paper_counts=paper_counts) for _ in range(2)]
    units = [UnitCounts(by_document=by_document, paper_counts=paper_counts) for _ in range(2)]
    fingerprint = Fingerprint()
    differences: list[Difference] = []
    gold = fingerprint.passing(sentences)
    stream = side_by_side([first, second], gold, layer=layer, types=types, report=report)
    for number, (sentence, predicted) in enumerate(stream, start=1):
        if len(differences) < keep and predicted[0].keys() != predicted[1].keys():
            differences.append(sentence_difference(number, sentence, predicted))
        for evaluation, unit, spans in zip(evaluations, units, predicted, strict=True):
            evaluation.add(sentence.entities, spans)
            unit.add(sentence.doc, sentence.entities, spans)
    if report is not None:
        warn_of_absent_types(types, evaluations[0].gold_labels, report)
        warn_of_unknown_types([first, second], evaluations[0].gold_labels, report, layer=layer)
        if types is None:
            warn_of_unannotated_types([first, second], evaluations, report, layer=layer)
        warn_of_few_documents(units[0], report)
    comparison = compare(units[0].rows, units[1].rows, samples=samples, seed=seed)
    return SystemComparison(
        data=data,
        fingerprint=str(fingerprint),
        names=names([first, second]),
        evaluations=evaluations,
        comparison=comparison,
        by_document=by_document,
        differences=differences,
    )


def agreement(
    first: str | Path,
    second: str | Path,
    *,
    types: Collection[str] | None = None,
    report: Report | None = None,
) -> Counts:
    """The agreement of two prediction files: the second is evaluated with the first as gold."""
    for system in (first, second):
        if not is_prediction_file(system):
            raise UsageError(
                f"{system} is not a file of predictions",
                hint="to compare models, give the gold data as a third argument",
            )
    evaluation = Evaluation()
    sentences = of_types(some_sentences(first, report=report), types)
    for sentence, (predicted,) in side_by_side([second], sentences, types=types, report=report):
        evaluation.add(set(sentence.entities), predicted)
    return evaluation.micro
