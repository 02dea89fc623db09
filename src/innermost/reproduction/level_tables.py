"""Tables 5 and 6: recall by gold level, precision by predicted level."""

from __future__ import annotations

from typing import Any

from innermost.evaluation.report.tables import Table
from innermost.reproduction.published import paper
from innermost.reproduction.runs import FULL, Results
from innermost.reproduction.table import Reproduced, score_cell
from innermost.training.plan import summarize


def recall_by_level(results: Results, corpus: str | None) -> Reproduced:
    """Table 5, over all seeds."""
    runs = results[FULL]
    summary = summarize(runs, "test")
    levels = runs[0]["test"]["levels"]["gold"]
    published = paper()["table5"].get(corpus, {})
    columns = ["level", "recall", "mentions"]
    if published:
        columns += ["paper: recall", "paper: mentions"]
    rows = []
    for level in _levels(levels, published):
        gold = levels.get(level, {"gold": 0})["gold"]
        score = summary.get(f"recall at level {level}")
        cells = [level, "-" if score is None else score_cell(score, len(runs)), f"{gold:,}"]
        rows.append(cells + (published.get(level, ["-", "0"]) if published else []))
    table = Table(f"Table 5: recall by gold level on {corpus or 'this corpus'}", columns, rows)
    figures = {
        level: {
            "recall": [r["test"]["levels"]["gold"][level]["recall"] for r in runs],
            "gold": counts["gold"],
        }
        for level, counts in levels.items()
    }
    return Reproduced("table5", table, [], {"corpus": corpus, "levels": figures})


def precision_by_level(results: Results, corpus: str | None) -> Reproduced:
    """Table 6, for one trial as in the paper: the depth of predictions differs between trials."""
    run = results[FULL][0]
    levels = run["test"]["levels"]["predicted"]
    published = paper()["table6"].get(corpus, {})
    columns = ["level", "precision", "predictions"]
    if published:
        columns += ["paper: precision", "paper: predictions"]
    rows = []
    for level in _levels(levels, published):
        counts = levels.get(level)
        score = "-" if counts is None else f"{100 * counts['precision']:.2f}"
        number = "0" if counts is None else f"{counts['predicted']:,}"
        rows.append(
            [level, score, number] + (published.get(level, ["-", "0"]) if published else [])
        )
    caption = f"Table 6: precision by predicted level on {corpus or 'this corpus'}"
    notes = [f"One trial, seed {run['seed']}."]
    table = Table(caption, columns, rows)
    return Reproduced("table6", table, notes, {"corpus": corpus, "levels": levels})


def _levels(ours: dict[str, Any], published: dict[str, Any]) -> list[str]:
    return sorted(set(ours) | set(published), key=int)
