"""Table 1: statistics of the corpora. Table 2: the settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from innermost.corpus.quality.statistics import Statistics
from innermost.evaluation.report.tables import Table
from innermost.reproduction.published import SPLITS, paper
from innermost.reproduction.settings import flat, without_folders
from innermost.reproduction.table import Reproduced
from innermost.training.settings.config import Config

_ORDINALS = ("1st", "2nd", "3rd")


def statistics_table(statistics: dict[str, Statistics], corpus: str | None) -> Reproduced:
    """Table 1, each split next to the paper's figures if the paper has this corpus."""
    ours = {split: statistics[split].to_dict() for split in SPLITS}
    published = paper()["table1"].get(corpus)
    levels = max(len(figures["levels"]) for figures in ours.values())
    if published is not None:
        levels = max(levels, len(published["levels"]))
    rows = [
        _row("documents", ours, published, lambda f: _number(f["documents"] or None)),
        _row("sentences", ours, published, lambda f: _number(f["sentences"])),
        _row("mentions", ours, published, lambda f: _number(f["mentions"])),
        *(_level_row(level, ours, published) for level in range(1, levels + 1)),
        _row("labels per token", ours, published, lambda f: _decimal(f["labels_per_token"])),
    ]
    columns = [""]
    for split in SPLITS:
        columns += [split] if published is None else [split, "paper"]
    notes = ["Exact duplicates count as often as they are annotated, as in the paper."]
    if corpus is not None and corpus.startswith("ACE"):
        notes.append("ACE does not split sentences: their number depends on the sentence splitter.")
    table = Table(f"Table 1: statistics of {corpus or 'this corpus'}", columns, rows)
    return Reproduced("table1", table, notes, {"corpus": corpus, "splits": ours})


def _row(
    name: str,
    ours: dict[str, dict[str, Any]],
    published: dict[str, Any] | None,
    cell: Callable[[dict[str, Any]], str],
) -> list[str]:
    paper_values = None if published is None else published.get(name.replace(" ", "_"), [None] * 3)
    return [name, *_interleaved([cell(ours[split]) for split in SPLITS], paper_values)]


def _level_row(
    level: int, ours: dict[str, dict[str, Any]], published: dict[str, Any] | None
) -> list[str]:
    mine = [_number(_at(ours[split]["levels"], level)) for split in SPLITS]
    paper_values = None
    if published is not None:
        paper_values = (
            published["levels"][level - 1] if level <= len(published["levels"]) else [None] * 3
        )
    ordinal = _ORDINALS[level - 1] if level <= len(_ORDINALS) else f"{level}th"
    return [f"- {ordinal} level", *_interleaved(mine, paper_values)]


def _interleaved(mine: Sequence[str], given: Sequence[Any] | None) -> list[str]:
    if given is None:
        return list(mine)
    printed = [value if isinstance(value, str) else _number(value) for value in given]
    return [cell for pair in zip(mine, printed, strict=True) for cell in pair]


def _at(levels: list[int], level: int) -> int:
    return levels[level - 1] if level <= len(levels) else 0


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def settings_table(config: Config) -> Reproduced:
    """Table 2: the recipe's settings next to the paper's, then those not in the paper."""
    settings = {n: v for n, v in flat(config).items() if not n.startswith("data.")}
    rows = []
    for entry in paper()["table2"]:
        ours = entry.get("here") or _taken(settings, entry["setting"], entry.get("unit", ""))
        rows.append([entry["name"], ours, entry["value"]])
    defaults = flat(Config())
    for name, value in settings.items():
        if value != defaults.get(name):
            rows.append([name, _shown(without_folders(name, value)), ""])
    table = Table("Table 2: hyperparameters", ["", "here", "paper"], rows)
    notes = ["Below the paper's rows: all other settings that differ from their defaults."]
    return Reproduced("table2", table, notes, {"config": config.to_dict()})


def _taken(settings: dict[str, Any], wanted: str, unit: str) -> str:
    """Take a setting out of the others; in a stack of parts it is one table deeper."""
    section, _, key = wanted.partition(".")
    fitting = (n for n in settings if n.startswith(f"{section}.") and n.endswith(f".{key}"))
    name = next(fitting, None)
    return "-" if name is None else _shown(settings.pop(name), unit)


def _shown(value: Any, unit: str = "") -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "-" if value is None else f"{value} {unit}".strip()
