"""Tables 3, 4, 8 and 9: precision, recall and F1 over several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from innermost.evaluation.counts import Counts
from innermost.evaluation.report.tables import Table
from innermost.reproduction.published import mean_of, paper, test_mentions
from innermost.reproduction.runs import FLAT, FULL, Results
from innermost.reproduction.table import Reproduced, score_cell
from innermost.training.plan import summarize

SCORES = ("precision", "recall", "f1")
_COLUMNS = ["method", "precision", "recall", "F1"]


def main_results(name: str, results: Results, corpus: str | None) -> Reproduced:
    """Tables 3 and 8: all published methods, and ours."""
    title = "main results" if name == "table3" else "comparison"
    rows = [*published_rows(name, corpus), scores_row("innermost", results[FULL])]
    table = Table(f"Table {name[-1]}: {title} on {corpus or 'this corpus'}", _COLUMNS, rows)
    notes = [by_seed({"innermost": results[FULL]}), *counting_notes(results[FULL], corpus)]
    return Reproduced(name, table, notes, {"corpus": corpus, "ours": summaries(results)})


def ablations(results: Results, corpus: str | None) -> Reproduced:
    """Table 4: without the learning (L), without learning and decoding (L&D)."""
    published = paper()["table4"].get(corpus)
    rows = []
    for variant, runs in results.items():
        rows.append(scores_row(variant, runs))
        if published is not None:
            rows.append([f"{variant}: the paper", *published[variant]])
    figures = summaries(results)
    notes = [
        *(_change(variant, figures, published) for variant in results if variant != FULL),
        by_seed(results),
        *counting_notes(results[FULL], corpus),
    ]
    table = Table(f"Table 4: ablations on {corpus or 'this corpus'}", _COLUMNS, rows)
    return Reproduced("table4", table, notes, {"corpus": corpus, "ours": figures})


def flat_ner(results: Results, corpus: str | None) -> Reproduced:
    """Table 9: on data without nesting, with the nested decoding on and off."""
    full, flat = results[FULL], results[FLAT]
    ours: Results = {
        "innermost": full,
        "innermost, outermost entities only": [outermost_only(result) for result in full],
        "innermost, - L&D, flat only": flat,
    }
    rows = [*published_rows("table9", corpus)]
    rows += [scores_row(name, runs) for name, runs in ours.items()]
    inner = [
        sum(level["predicted"] for level in result["test"]["levels"]["predicted"].values())
        - result["test"]["levels"]["predicted"].get("1", {"predicted": 0})["predicted"]
        for result in full
    ]
    notes = [
        by_seed(ours),
        "Outermost only: the same models, decoded to depth 1. Predictions inside others of their "
        f"type that this drops, by seed: {', '.join(map(str, inner))}.",
        *counting_notes(full, corpus),
    ]
    table = Table(f"Table 9: flat NER on {corpus or 'this corpus'}", _COLUMNS, rows)
    return Reproduced("table9", table, notes, {"corpus": corpus, "ours": summaries(ours)})


def outermost_only(result: dict[str, Any]) -> dict[str, Any]:
    """The scores that decoding to depth 1 would have given.

    It finds exactly the predictions of level 1: inner ones are decoded only inside those.
    """
    test = result["test"]
    first = test["levels"]["predicted"].get("1", {"predicted": 0, "correct": 0})
    counts = Counts(test["micro"]["gold"], first["predicted"], first["correct"])
    return {"seed": result["seed"], "test": {"micro": counts.to_dict()}}


def published_rows(name: str, corpus: str | None) -> list[list[str]]:
    return [[entry["method"], *entry[corpus]] for entry in paper()[name] if corpus in entry]


def scores_row(name: str, results: Sequence[dict[str, Any]]) -> list[str]:
    summary = summarize(results, "test")
    return [name, *(score_cell(summary[score], len(results)) for score in SCORES)]


def summaries(results: Results) -> dict[str, Any]:
    return {
        variant: {
            "seeds": [result["seed"] for result in runs],
            **{
                name: {"mean": mean, "deviation": deviation}
                for name, (mean, deviation) in summarize(runs, "test").items()
            },
        }
        for variant, runs in results.items()
    }


def by_seed(results: Results) -> str:
    """The F1 of every run."""
    rows = [
        f"{name} " + ", ".join(f"{100 * run['test']['micro']['f1']:.2f}" for run in runs)
        for name, runs in results.items()
    ]
    seeds = [str(run["seed"]) for run in next(iter(results.values()))]
    return f"F1 by seed ({', '.join(seeds)}): {'; '.join(rows)}."


def counting_notes(results: Iterable[dict[str, Any]], corpus: str | None) -> list[str]:
    """Whether our test set and the paper's can be identical."""
    first = next(iter(results))
    ours = first["test"]["micro"]["gold"]
    theirs = test_mentions(corpus)
    if theirs is None:
        return []
    return [
        f"Our test data has {ours:,} mentions with exact duplicates merged, the paper's {theirs:,} "
        "with duplicates counted."
    ]


def _change(variant: str, figures: dict[str, Any], published: dict[str, Any] | None) -> str:
    """The effect of removing a part on precision, recall and F1, in points."""
    ours = [
        100 * (figures[variant][score]["mean"] - figures[FULL][score]["mean"]) for score in SCORES
    ]
    text = f"Row `{variant}` against `{FULL}`: {_signed(ours)}"
    if published is None:
        return f"{text}."
    theirs = [
        mean_of(cell) - mean_of(full)
        for cell, full in zip(published[variant], published[FULL], strict=True)
    ]
    return f"{text} (the paper: {_signed(theirs)})."


def _signed(changes: Sequence[float]) -> str:
    return ", ".join(
        f"{name} {change:+.2f}"
        for name, change in zip(("precision", "recall", "F1"), changes, strict=True)
    )
