"""What a training run ends with: scores by type, the best epoch, and why it stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from innermost.training.learning_curve import Curve
from innermost.training.plan import summarize
from innermost.training.settings.variants import Variant

Results = Mapping[Variant, Sequence[dict[str, Any]]]


def show_results(results: Results, out: Path, doubts: Sequence[str] = ()) -> None:
    """Scores and how the runs ended; ``doubts`` are warnings about the scores."""
    console = Console(highlight=False, emoji=False)
    runs = [result for rows in results.values() for result in rows]
    split = _scored(runs)
    if split is not None and len(runs) == 1:
        _show_types(console, runs[0][split], split)
    elif split is not None:
        _show_means(console, results, split)
    if runs[0].get("covered"):
        console.print(runs[0]["covered"], markup=False, soft_wrap=True)
    for variant, rows in results.items():
        for result in rows:
            if result.get("start"):
                _show_kept(console, result)
            name = f"seed {result['seed']}: " if len(runs) > 1 else ""
            ablation = f"{variant.value}, " if len(results) > 1 else ""
            console.print(f"{ablation}{name}{_ending(result)}", style="dim", markup=False)
    prints = ", ".join(f"{k} {v}" for k, v in runs[0]["fingerprints"].items())
    environment = runs[0]["environment"]
    console.print(f"data {prints}; {environment['date']}, {environment['hardware']}", style="dim")
    console.print(f"written to {out}", style="dim", markup=False, soft_wrap=True)
    for doubt in doubts:
        console.print(f"warning: {doubt}", style="yellow", markup=False, soft_wrap=True)


def show_folds(summary: Mapping[str, Any]) -> None:
    """Scores over all folds, with the intervals of those in the last row."""
    console = Console(highlight=False, emoji=False)
    title = f"{summary['folds']}-fold cross-validation (%)"
    table = _table(title, "type", ["precision", "recall", "F1", "gold", "found"])
    for label, counts in summary["types"].items():
        table.add_row(label, *_cells(counts))
    table.add_section()
    table.add_row("all", *_cells(summary["micro"]), style="bold")
    intervals = summary["intervals"]
    limits = [
        f"{100 * intervals[name]['low']:.1f} to {100 * intervals[name]['high']:.1f}"
        for name in ("precision", "recall", "f1")
    ]
    table.add_row("95% interval", *limits, "", "", style="dim")
    console.print(table)


def show_curve(curve: Curve) -> None:
    """The score of each share, and what twice the data would bring."""
    console = Console(highlight=False, emoji=False)
    table = _table("learning curve, dev F1 (%)", "sentences", ["F1", "fit"])
    for number, f1 in zip(curve.sentences, curve.f1, strict=True):
        table.add_row(f"{number:,}", f"{100 * f1:.2f}", f"{100 * curve.fit(number):.2f}")
    if curve.doubled is not None:
        table.add_row(f"{2 * curve.sentences[-1]:,}", "", f"{100 * curve.doubled:.2f}", style="dim")
    console.print(table)
    console.print(curve.verdict, markup=False)


def _scored(runs: Sequence[dict[str, Any]]) -> str | None:
    """The data whose scores to show: test before development."""
    return next((name for name in ("test", "dev") if all(name in r for r in runs)), None)


def _show_types(console: Console, scores: dict[str, Any], split: str) -> None:
    table = _table(f"{split} scores (%)", "type", ["precision", "recall", "F1", "gold", "found"])
    for label, counts in scores["types"].items():
        table.add_row(label, *_cells(counts))
    table.add_section()
    table.add_row("all", *_cells(scores["micro"]), style="bold")
    console.print(table)
    levels = scores["levels"]["gold"]
    if len(levels) > 1:
        recall = (f"{level}: {100 * counts['recall']:.2f}" for level, counts in levels.items())
        console.print(f"recall by level  {'   '.join(recall)}")


def _show_kept(console: Console, result: dict[str, Any]) -> None:
    """How the types of the model that training started from did before, and do now."""
    table = _table("types of the start, dev F1 (%)", "type", ["before", "now", "gold"])
    for label, before in result["start"]["types"].items():
        now = result["dev"]["types"].get(label, {"f1": 0.0})
        scores = (f"{100 * counts['f1']:.2f}" for counts in (before, now))
        table.add_row(label, *scores, f"{before['gold']:,}")
    console.print(table)


def _cells(counts: Mapping[str, Any]) -> list[str]:
    scores = [f"{100 * counts[name]:.2f}" for name in ("precision", "recall", "f1")]
    return [*scores, f"{counts['gold']:,}", f"{counts['predicted']:,}"]


def _show_means(console: Console, results: Results, split: str) -> None:
    seeds = [str(result["seed"]) for result in next(iter(results.values()))]
    title = f"{split} scores (%), seed{'s' * (len(seeds) > 1)} {', '.join(seeds)}"
    if len(seeds) > 1:
        title += ": mean ± standard deviation"
    summaries = {variant: summarize(rows, split) for variant, rows in results.items()}
    names = list(dict.fromkeys(name for summary in summaries.values() for name in summary))
    variants = [variant.value for variant in results]
    table = _table(title, "", variants if len(variants) > 1 else ["score"])
    for name in names:
        cells = (_spread(summary.get(name), len(seeds)) for summary in summaries.values())
        table.add_row("F1" if name == "f1" else name, *cells)
    console.print(table)


def _spread(score: tuple[float, float] | None, runs: int) -> str:
    if score is None:
        return ""
    mean, deviation = score
    return f"{100 * mean:.2f} ± {100 * deviation:.2f}" if runs > 1 else f"{100 * mean:.2f}"


def _ending(result: Mapping[str, Any]) -> str:
    """The best epoch, and why the run ended."""
    best, last = result["best_epoch"], result["epochs"]
    if result["stopped"] == "patience":
        return f"best epoch {best}; stopped after epoch {last}: no better since"
    if "dev" not in result:
        return f"trained for {last} epoch{'s' if last > 1 else ''}"
    has_learned = bool(result["dev"]["micro"]["correct"])
    every = result["settings"]["training"]["evaluate_every"]
    # Of a single evaluation, the best is always the last.
    is_late = has_learned and best == last > every
    late = " (the last one: more epochs may help)" if is_late else ""
    return f"best epoch {best} of {last}{late}"


def _table(title: str, first: str, columns: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column(first, no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table
