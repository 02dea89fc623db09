"""Score tables for the terminal, in percent."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from innermost.evaluation.analysis.details import Details
from innermost.evaluation.assessment import Assessment
from innermost.evaluation.comparison import SystemComparison
from innermost.evaluation.counts import Counts, percent
from innermost.evaluation.raw_text import NO_SPACING
from innermost.evaluation.results import Results
from innermost.plurals import count


def show_results(results: Results) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    _heading(console, results.data, results.fingerprint, count(results.sentences, "sentence"))
    several = len(results.assessments) > 1
    micro = _table("Micro average", "system" if several else "", _SCORES)
    for assessment in results.assessments:
        name = assessment.name if several else "all"
        _scores_row(micro, name, assessment.evaluation.micro)
    console.print(micro)
    if several and results.are_seeds:
        spread = (
            f"{name} {percent(score.mean)} ± {percent(score.deviation)}"
            for name, score in results.summary().items()
        )
        console.print(f"Mean and deviation: {', '.join(spread)}\n", soft_wrap=True)
    for index, assessment in enumerate(results.assessments):
        if several:
            console.rule(assessment.name, align="left", style="dim")
        _show_one(console, assessment, results.seed)
        if results.details:
            _show_forms(console, results.details[index])
    for system, share in results.reachable.items():
        console.print(
            f"Raw text: {percent(share)}% of the gold entities begin and end where tokens of "
            f"{system} do; the others cannot be found.",
            soft_wrap=True,
        )
    if not results.is_spaced:
        console.print(f"Raw text: {NO_SPACING}.", soft_wrap=True)
    if not results.assessments[0].evaluation.micro.gold:
        console.print("The data has no entities, so every score is 0.", soft_wrap=True)
    if results.duplicates:
        counted = results.assessments[0].evaluation.paper_counts
        how = "counted" if counted else "merged (--paper-counts counts them)"
        console.print(f"{results.duplicates:,} repeated gold mentions were {how}.", soft_wrap=True)


def show_comparison(result: SystemComparison) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    comparison = result.comparison
    _heading(console, result.data, result.fingerprint, count(comparison.units, result.unit))
    table = _table("Micro average", "system", _SCORES)
    for letter, name, evaluation in zip("AB", result.names, result.evaluations, strict=True):
        _scores_row(table, f"{letter}  {name}", evaluation.micro)
    console.print(table)
    for line in result.summary()[1:]:
        console.print(line, soft_wrap=True)


def show_agreement(first: str, second: str, counts: Counts) -> None:
    console = Console(highlight=False, markup=False, emoji=False)
    table = _table("Agreement, without gold data", "", ["F1", "A has", "B has", "both have"])
    numbers = (f"{n:,}" for n in (counts.gold, counts.predicted, counts.correct))
    table.add_row("entities", percent(counts.f1), *numbers)
    console.print(table)
    console.print(f"A is {first}, B is {second}", soft_wrap=True)


_SCORES = ["precision", "recall", "F1", "gold", "predicted", "correct"]


def _show_one(console: Console, assessment: Assessment, seed: int) -> None:
    evaluation = assessment.evaluation
    f1 = assessment.intervals(seed)["f1"]
    console.print(f"F1 95% interval: {percent(f1.low)} to {percent(f1.high)} (bootstrap)\n")
    types = _table("By type", "type", _SCORES)
    for label, counts in evaluation.types.items():
        _scores_row(types, label, counts)
    console.print(types)
    gold = _table("Recall by gold level", "level", ["recall", "gold", "found"])
    for level, counts in evaluation.gold_levels.items():
        gold.add_row(str(level), percent(counts.recall), f"{counts.gold:,}", f"{counts.found:,}")
    console.print(gold)
    predicted = _table(
        "Precision by predicted level", "level", ["precision", "predicted", "correct"]
    )
    for level, counts in evaluation.predicted_levels.items():
        numbers = (f"{counts.predicted:,}", f"{counts.correct:,}")
        predicted.add_row(str(level), percent(counts.precision), *numbers)
    console.print(predicted)
    if assessment.calibration:
        error, brier = assessment.calibration.expected_error(), assessment.calibration.brier()
        console.print(f"Calibration: ECE {percent(error)}%, Brier score {brier:.4f}")


def _show_forms(console: Console, details: Details) -> None:
    forms = details.breakdown.tables.get("form")
    if forms:
        table = _table("By presence of the surface form in the training data", "form", _SCORES)
        for form, counts in forms.items():
            _scores_row(table, form, counts)
        console.print(table)


def _heading(console: Console, data: str, fingerprint: str, size: str) -> None:
    console.print(f"{data}: fingerprint {fingerprint}, {size}", soft_wrap=True)


def _table(title: str, first: str, columns: list[str]) -> Table:
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _scores_row(table: Table, name: str, counts: Counts) -> None:
    scores = (percent(s) for s in (counts.precision, counts.recall, counts.f1))
    numbers = (f"{n:,}" for n in (counts.gold, counts.predicted, counts.correct))
    table.add_row(name, *scores, *numbers)
