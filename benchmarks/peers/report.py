"""The figures of one run as a table in Markdown, and as JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from benchmarks.peers.speed import BATCHES

_SETUPS = {32: "32 at a time", 1: "one at a time"}


class Row(msgspec.Struct, frozen=True):
    """One system."""

    title: str
    version: str | None
    tokens_per_second: dict[int, float]
    """The median of the rounds, by sentences per batch."""
    rounds: dict[int, list[float]]
    precision: float
    recall: float
    f1: float
    megabytes: float | None
    training: str


class Report(msgspec.Struct, frozen=True):
    """All systems, ours first, and how the figures were measured."""

    rows: list[Row]
    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = msgspec.to_builtins(self, str_keys=True)
        for plain, row in zip(made["rows"], self.rows, strict=True):
            plain["ratios"] = ratios(self.rows[0], row)
        return made


def ratios(ours: Row, theirs: Row) -> dict[str, float]:
    """Ours divided by theirs: above 1, innermost is faster, or larger."""
    result = {
        f"tokens_per_second_{size}": ours.tokens_per_second[size] / theirs.tokens_per_second[size]
        for size in BATCHES
    }
    if ours.megabytes and theirs.megabytes:
        result["megabytes"] = ours.megabytes / theirs.megabytes
    return result


def markdown(report: Report) -> str:
    """The table; in parentheses after a figure: ours divided by it."""
    speeds = [f"tokens/s, {_SETUPS[size]}" for size in BATCHES]
    heads = ["", *speeds, "precision", "recall", "F1", "install, MB"]
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    lines += [_line(_cells(report.rows[0], row)) for row in report.rows]
    trained = [f"- {_named(row)}: {row.training}." for row in report.rows]
    return "\n".join([*lines, "", *trained, *(f"- {note}" for note in report.notes), ""])


def _cells(ours: Row, row: Row) -> list[str]:
    ratio = {} if row is ours else ratios(ours, row)
    speeds = [
        f"{row.tokens_per_second[size]:,.0f}{_bracket(ratio.get(f'tokens_per_second_{size}'))}"
        for size in BATCHES
    ]
    scores = [f"{100 * value:.2f}" for value in (row.precision, row.recall, row.f1)]
    size = "-" if row.megabytes is None else f"{row.megabytes:,.0f}"
    return [row.title, *speeds, *scores, size + _bracket(ratio.get("megabytes"))]


def _bracket(ratio: float | None) -> str:
    return "" if ratio is None else f" ({ratio:.2f}x)" if ratio < 10 else f" ({ratio:.0f}x)"


def _named(row: Row) -> str:
    return row.title if row.version is None else f"{row.title} {row.version}"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
