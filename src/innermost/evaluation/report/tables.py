"""The tables of a report, as plain cells, so that every format shows the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from innermost.evaluation.analysis.error_analysis import KINDS, ErrorAnalysis
from innermost.evaluation.counts import Counts, percent
from innermost.evaluation.results import MeanAndDeviation, Results, mean_and_deviation


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row names it."""

    caption: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Section:
    id: str
    title: str
    text: str
    tables: list[Table] = field(default_factory=list)


_BREAKDOWNS = {
    "length": ("By length", "tokens"),
    "sentence": ("By kind of gold sentence", "sentence"),
    "place": ("By place in the nesting, whatever the types", "place"),
    "form": ("By presence of the surface form in the training data", "form"),
}


def sections(results: Results) -> list[Section]:
    """The sections of the report, in order; the sentences themselves come after."""
    parts = [_overall(results), _types(results), _levels(results)]
    if results.details:
        parts += [_breakdowns(results), _loose(results)]
    if any(a.calibration for a in results.assessments):
        parts.append(_calibration(results))
    if results.details:
        parts += [_confusion(results), _errors(results)]
    return parts


def _overall(results: Results) -> Section:
    columns = ["system", "precision", "recall", "F1", "F1 95% interval"]
    columns += ["gold", "predicted", "correct"]
    rows = []
    for assessment in results.assessments:
        micro = assessment.evaluation.micro
        interval = assessment.intervals(results.seed)["f1"]
        between = f"{percent(interval.low)} to {percent(interval.high)}"
        rows.append(
            [assessment.name, *_scores(micro), between]
            + [f"{n:,}" for n in (micro.gold, micro.predicted, micro.correct)]
        )
    if len(rows) > 1 and results.are_seeds:
        spread = [_spread(score) for score in results.summary().values()]
        rows.append(["mean ± deviation", *spread, "", "", "", ""])
    text = (
        "A prediction is correct if its start, end and type are. Scores are in percent. "
        "The interval is a bootstrap over "
        f"{'documents' if results.assessments[0].units.by_document else 'sentences'}."
    )
    if results.duplicates:
        counted = results.assessments[0].evaluation.paper_counts
        text += f" {results.duplicates:,} repeated gold mentions are "
        text += "counted as often as they are annotated." if counted else "merged."
    return Section("overall", "Overall", text, [Table("Micro average", columns, rows)])


def _types(results: Results) -> Section:
    per_system = [a.evaluation.types for a in results.assessments]
    table = _counts_table(results, "By type", "type", per_system)
    return Section("types", "Types", "", [table])


def _levels(results: Results) -> Section:
    text = (
        "Level 1 is outermost among entities of the same type. Recall is by the level in the gold "
        "data, precision by the level in the predictions; a dash: no entities there."
    )
    gold = [a.evaluation.gold_levels for a in results.assessments]
    predicted = [a.evaluation.predicted_levels for a in results.assessments]
    tables = [
        _one_score_table(
            results, "Recall by gold level", gold, ["recall", "gold", "found"], lambda c: c.recall
        ),
        _one_score_table(
            results,
            "Precision by predicted level",
            predicted,
            ["precision", "predicted", "correct"],
            lambda c: c.precision,
        ),
    ]
    return Section("levels", "Levels", text, tables)


def _breakdowns(results: Results) -> Section:
    per_system = [d.breakdown.tables for d in results.details]
    tables = [
        _counts_table(results, *_BREAKDOWNS[name], [tables[name] for tables in per_system])
        for name in per_system[0]
    ]
    text = "Each table breaks down the same entities; its rows add up to the micro average."
    return Section("breakdowns", "Breakdowns", text, tables)


def _loose(results: Results) -> Section:
    text = (
        "Boundaries: start and end are correct, whatever the type. Type: shares a token with an "
        "entity of the same type. Tokens: counts the tokens that each entity shares with the "
        "closest entity of the same type."
    )
    per_system = [d.loose.tables for d in results.details]
    table = _counts_table(results, "Looser matches", "match", per_system)
    return Section("loose", "Looser matches", text, [table])


def _calibration(results: Results) -> Section:
    rows, tables = [], []
    for assessment in results.assessments:
        calibration = assessment.calibration
        best = calibration.best_threshold()
        if not calibration or best is None:
            rows.append([assessment.name, "no scores", "", "", "", "", ""])
            continue
        rows.append(
            [assessment.name, percent(calibration.expected_error()), f"{calibration.brier():.4f}"]
            + [f"{best.score:.3f}", percent(best.precision), percent(best.recall), percent(best.f1)]
        )
        tables.append(
            Table(
                f"Reliability: {assessment.name}",
                ["score", "predictions", "mean score", "right"],
                [
                    [f"{b.low:.1f} to {b.high:.1f}", f"{b.count:,}"]
                    + [percent(b.confidence), percent(b.accuracy)]
                    for b in calibration.reliability()
                    if b.count
                ],
            )
        )
    columns = ["system", "ECE", "Brier", "best threshold", "precision", "recall", "F1"]
    text = (
        "Of predictions with a score of 80%, 80% should be correct. ECE is the mean distance from "
        "that, in percent; the Brier score is the mean squared one. The best threshold is chosen "
        "on this same data: choose yours on development data."
    )
    overview = Table("Calibration and thresholds", columns, rows)
    return Section("calibration", "Calibration", text, [overview, *tables])


def _confusion(results: Results) -> Section:
    text = "Rows are gold types, columns predicted types, where start and end agree."
    pairs = zip(results.assessments, results.details, strict=True)
    tables = [_confusion_table(a.name, d.errors) for a, d in pairs]
    return Section("confusion", "Confusion of types", text, tables)


def _confusion_table(name: str, analysis: ErrorAnalysis) -> Table:
    confusion = analysis.confusion
    labels: list[str | None] = [*sorted({label for pair in confusion for label in pair if label})]
    labels.append(None)
    shown = [label or "nothing" for label in labels]
    rows = [
        [title, *(f"{confusion[gold, p]:,}" if (gold, p) != (None, None) else "" for p in labels)]
        for gold, title in zip(labels, shown, strict=True)
    ]
    return Table(f"Confusion of types: {name}", ["gold", *shown], rows)


def _errors(results: Results) -> Section:
    several = len(results.assessments) > 1
    columns = ["kind"]
    for assessment in results.assessments:
        prefix = f"{assessment.name}: " if several else ""
        columns += [f"{prefix}errors", f"{prefix}on pronouns"]
    columns.append("description")
    rows = []
    for kind, meaning in KINDS.items():
        row = [kind]
        for details in results.details:
            row += [f"{details.errors.kinds[kind]:,}", f"{details.errors.pronouns[kind]:,}"]
        rows.append([*row, meaning])
    text = (
        "Every gold entity that was not found and every wrong prediction belongs to exactly one "
        "error; one of each that overlap are counted as one error."
    )
    return Section("errors", "Errors", text, [Table("Kinds of errors", columns, rows)])


def _counts_table(
    results: Results, caption: str, first: str, per_system: Sequence[dict[str, Counts]]
) -> Table:
    """All six numbers for one system; for more, the scores of each side by side."""
    if len(per_system) == 1:
        columns = [first, "precision", "recall", "F1", "gold", "predicted", "correct"]
        rows = [
            [key, *_scores(c), *(f"{n:,}" for n in (c.gold, c.predicted, c.correct))]
            for key, c in per_system[0].items()
        ]
        return Table(caption, columns, rows)
    columns = [first, "gold"]
    for assessment in results.assessments:
        columns += [f"{assessment.name}: {score}" for score in ("precision", "recall", "F1")]
    rows = []
    for key in _keys(per_system):
        counts = [table.get(key, Counts()) for table in per_system]
        cells = [cell for c in counts for cell in _scores(c)]
        rows.append([key, f"{max(c.gold for c in counts):,}", *cells])
    return Table(caption, columns, rows)


def _one_score_table(
    results: Results,
    caption: str,
    per_system: Sequence[dict[int, Counts]],
    names: list[str],
    score: Callable[[Counts], float],
) -> Table:
    """The paper's Tables 5 and 6: one score, its denominator and its numerator.

    The mean is that of the systems with entities at a level.
    """
    columns = ["level"]
    for assessment in results.assessments:
        prefix = f"{assessment.name}: " if len(per_system) > 1 else ""
        columns += [f"{prefix}{name}" for name in names]
    has_mean = len(per_system) > 1 and results.are_seeds
    if has_mean:
        columns.append(f"{names[0]}, mean ± deviation")
    rows = []
    for level in sorted({level for table in per_system for level in table}):
        row = [str(level)]
        for table in per_system:
            counts = table.get(level, Counts())
            whole = counts.gold + counts.predicted
            row += [percent(score(counts)) if whole else "-", f"{whole:,}", f"{counts.correct:,}"]
        if has_mean:
            scores = [score(table[level]) for table in per_system if level in table]
            row.append(_mean(scores, of=len(per_system)))
        rows.append(row)
    return Table(caption, columns, rows)


def _mean(scores: Sequence[float], *, of: int) -> str:
    """With the number of systems that it covers, if not all; a single score has no deviation."""
    spread = mean_and_deviation(scores)
    shown = _spread(spread) if len(scores) > 1 else percent(spread.mean)
    return shown if len(scores) == of else f"{shown} ({len(scores)} of {of})"


def _spread(score: MeanAndDeviation) -> str:
    return f"{percent(score.mean)} ± {percent(score.deviation)}"


def _keys(tables: Iterable[dict[str, Counts]]) -> list[str]:
    """The keys of all tables, in order of first occurrence."""
    return list(dict.fromkeys(key for table in tables for key in table))


def _scores(counts: Counts) -> list[str]:
    return [percent(score) for score in (counts.precision, counts.recall, counts.f1)]
