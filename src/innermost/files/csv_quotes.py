"""Where a quote is opened that makes a row of CSV unreadable."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

_QUOTED = '"[^"]*(?:""[^"]*)*"(?!")'


class RowLines:
    """Lines for a CSV reader, which remembers those of the current row."""

    def __init__(self, lines: Iterable[str], delimiter: str) -> None:
        self._lines = lines
        self._row: list[str] = []
        self._number = 0
        mark = re.escape(delimiter)
        self._fields = re.compile(rf'(?:(?:{_QUOTED}|[^"{mark}\r\n][^{mark}\r\n]*)?{mark})*')

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._number += 1
            self._row.append(line)
            yield line

    def end_row(self) -> None:
        """Forget the lines so far: the next one begins a row."""
        self._row.clear()

    def problem(self) -> tuple[int, str] | None:
        """If a quoted field is what is wrong with the row: its first line, and the problem.

        Reads as: the quote that opens in this line ``is not closed``.
        """
        row = "".join(self._row)
        match = self._fields.match(row)
        start = match.end() if match else 0
        if not row.startswith('"', start):
            return None
        line = self._line_of(start)
        closed = re.compile(_QUOTED).match(row, start)
        if closed is None:
            return line, "is not closed"
        if not row[closed.end() :].rstrip("\r\n"):
            return None
        end = self._line_of(closed.end() - 1)
        return line, f"is closed in line {end:,}, before the end of the field"

    def _line_of(self, position: int) -> int:
        ends = list(accumulate(len(line) for line in self._row))
        return self._number - len(self._row) + 1 + bisect_right(ends, position)
