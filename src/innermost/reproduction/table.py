"""One reproduced table of the paper: cells to show, and numbers to compute with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from innermost.errors import DataError
from innermost.evaluation.report.markdown import table_markdown
from innermost.evaluation.report.tables import Table
from innermost.files.atomic import write_atomically


@dataclass(slots=True)
class Reproduced:
    name: str
    """``table1`` to ``table9``."""
    table: Table
    notes: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    """Our numbers, unrounded; scores are fractions."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "caption": self.table.caption,
            "columns": self.table.columns,
            "rows": self.table.rows,
            "notes": self.notes,
            "figures": self.figures,
        }

    def markdown(self) -> str:
        notes = "\n".join(f"- {note}" for note in self.notes)
        return f"{table_markdown(self.table)}\n" + (f"\n{notes}\n" if notes else "")

    def write(self, folder: Path) -> list[Path]:
        """Write ``NAME.json`` and ``NAME.md``."""
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / f"{self.name}.json", folder / f"{self.name}.md"]
        json = msgspec.json.format(msgspec.json.encode(self.to_dict())) + b"\n"
        write_atomically(written[0], json)
        write_atomically(written[1], self.markdown().encode())
        return written


def read_reproduced(path: Path) -> Reproduced:
    """Read a table written by :meth:`Reproduced.write`."""
    try:
        content = msgspec.json.decode(path.read_bytes())
        table = Table(content["caption"], content["columns"], content["rows"])
        return Reproduced(content["name"], table, content["notes"], content["figures"])
    except (OSError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise DataError(
            f"not a reproduced table: {error}",
            path=path,
            hint="`innermost reproduce` writes it: run the table again with the same --out",
        ) from None


def score_cell(score: Sequence[float], runs: int) -> str:
    """Mean and deviation of fractions over runs, in percent; one run has no deviation."""
    mean, deviation = score
    return f"{100 * mean:.2f} ± {100 * deviation:.2f}" if runs > 1 else f"{100 * mean:.2f}"
