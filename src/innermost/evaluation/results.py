"""The results of one or more systems on the same data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from innermost.corpus import Report, Sentence
from innermost.corpus.quality.fingerprint import Fingerprint
from innermost.errors import UsageError
from innermost.evaluation.alignment import SpanScores
from innermost.evaluation.analysis.breakdown import SeenForms
from innermost.evaluation.analysis.details import Details
from innermost.evaluation.analysis.error_analysis import Error
from innermost.evaluation.assessment import Assessment, warn_of_few_documents
from innermost.evaluation.raw_text import RawText
from innermost.evaluation.significance import SCORES
from innermost.evaluation.systems import (
    is_prediction_file,
    may_be_seeds,
    side_by_side,
    warn_of_absent_types,
    warn_of_unannotated_types,
    warn_of_unknown_types,
)
from innermost.model_folder.installed import folder_name


@dataclass(frozen=True, slots=True)
class MeanAndDeviation:
    """Over runs; the deviation is that of a sample (n - 1), and 0 for a single run."""

    mean: float
    deviation: float

    def to_dict(self) -> dict[str, float]:
        return {"mean": self.mean, "deviation": self.deviation}


@dataclass(frozen=True, slots=True)
class Shown:
    """A sentence in which some system errs, with the predictions and errors of each."""

    number: int
    sentence: Sentence
    predicted: list[SpanScores]
    errors: list[list[Error]]


@dataclass(slots=True)
class Results:
    data: str
    assessments: list[Assessment]
    details: list[Details]
    """One per assessment, or empty if they were not requested."""
    seed: int = 0
    sentences: int = 0
    with_errors: int = 0
    duplicates: int = 0
    """Exact duplicates among the gold mentions."""
    fingerprint: str = ""
    are_seeds: bool = True
    """Whether the systems can be runs of one kind, so that their mean is meaningful."""
    shown: list[Shown] = field(default_factory=list)
    reachable: dict[str, float] = field(default_factory=dict)
    """On raw text, by system: the share of gold entities on token boundaries."""
    is_spaced: bool = True
    """On raw text: whether the data has the spacing of the original text."""

    def summary(self) -> dict[str, MeanAndDeviation]:
        """Mean and deviation of precision, recall and F1 over the systems, as over seeds."""
        micros = [assessment.evaluation.micro for assessment in self.assessments]
        return {name: mean_and_deviation([getattr(m, name) for m in micros]) for name in SCORES}

    def to_dict(self) -> dict[str, Any]:
        """The first system's figures, and if there are more, ``runs`` with all of them."""
        runs = [{"name": a.name, **a.to_dict(self.seed)} for a in self.assessments]
        for run, details in zip(runs, self.details, strict=False):
            run.update(details.to_dict())
        result = {
            **runs[0],
            "data": self.data,
            "fingerprint": self.fingerprint,
            "sentences": self.sentences,
            "duplicates": self.duplicates,
            "paper_counts": self.assessments[0].evaluation.paper_counts,
        }
        if self.reachable:
            result |= {"reachable": self.reachable, "spacing": self.is_spaced}
        if len(runs) > 1:
            result["runs"] = runs
        if len(runs) > 1 and self.are_seeds:
            result["summary"] = {name: s.to_dict() for name, s in self.summary().items()}
        return result


def assess(
    systems: Sequence[str | Path],
    sentences: Iterable[Sentence],
    *,
    data: str,
    seen: SeenForms | None = None,
    paper_counts: bool = False,
    by_document: bool = False,
    seed: int = 0,
    detailed: bool = True,
    keep: int = 0,
    layer: str | None = None,
    types: Collection[str] | None = None,
    report: Report | None = None,
    raw_text: bool = False,
    tokenizer: str | None = None,
) -> Results:
    """Measure ``systems`` on ``sentences`` in one pass.

    With ``detailed``, which takes three quarters longer, the counts are also broken down, the
    errors classified, and the first ``keep`` sentences with errors kept. ``layer`` chooses the
    layer of models that have several, ``types`` the types whose predictions count. ``report``
    collects what reading predictions changed, and types unknown to the models. With ``raw_text``,
    models find sentences and tokens themselves, with ``tokenizer`` or else their own.
    """
    assessments = [
        Assessment(name, paper_counts=paper_counts, by_document=by_document)
        for name in names(systems)
    ]
    details = [Details(seen, paper_counts=paper_counts) for _ in systems if detailed]
    results = Results(data, assessments, details, seed, are_seeds=may_be_seeds(systems))
    fingerprint = Fingerprint()
    gold = fingerprint.passing(sentences)
    models = [str(s) for s in systems if raw_text and not is_prediction_file(s)]
    if raw_text and not models:
        raise UsageError(
            f"{systems[0]} is a file of predictions, which no model finds in raw text",
            hint="leave out --raw-text, or evaluate a model",
        )
    raw = {model: RawText(model, layer=layer, tokenizer=tokenizer) for model in models}
    stream = side_by_side(systems, gold, layer=layer, types=types, report=report, raw_texts=raw)
    for sentence, predicted in stream:
        results.sentences += 1
        results.duplicates += len(sentence.entities) - len(set(sentence.entities))
        spans = [a.add(sentence, p) for a, p in zip(assessments, predicted, strict=True)]
        errors = [d.add(sentence, s) for d, s in zip(details, spans, strict=False)]
        if any(errors):
            results.with_errors += 1
            if len(results.shown) < keep:
                results.shown.append(Shown(results.sentences, sentence, predicted, errors))
    if report is not None:
        warn_of_absent_types(types, assessments[0].evaluation.gold_labels, report)
        warn_of_unknown_types(systems, assessments[0].evaluation.gold_labels, report, layer=layer)
        if types is None:
            evaluations = [assessment.evaluation for assessment in assessments]
            warn_of_unannotated_types(systems, evaluations, report, layer=layer)
        warn_of_few_documents(assessments[0].units, report)
    results.fingerprint = str(fingerprint)
    results.reachable = {name: text.share for name, text in raw.items()}
    results.is_spaced = all(text.is_spaced for text in raw.values())
    return results


def names(systems: Sequence[str | Path]) -> list[str]:
    """Short names that distinguish the systems: the last part of the path, or all of it."""
    short = [_short_name(Path(system)) for system in systems]
    return short if len(set(short)) == len(short) else [str(system) for system in systems]


def _short_name(path: Path) -> str:
    """The name of a file without its suffix, of a model's folder or of its run."""
    return (path.stem if path.is_file() else folder_name(path)) or str(path)


def mean_and_deviation(values: Sequence[float]) -> MeanAndDeviation:
    return MeanAndDeviation(fmean(values), stdev(values) if len(values) > 1 else 0.0)
