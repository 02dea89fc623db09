"""A labeled range of tokens (or characters), and how two of them overlap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    start: int
    end: int
    label: str

    def contains(self, other: Span) -> bool:
        """Whether ``other`` is strictly within this span."""
        inside = self.start <= other.start and other.end <= self.end
        return inside and (self.start, self.end) != (other.start, other.end)


def crossing(a: Span, b: Span) -> bool:
    """Whether the two overlap while neither contains the other."""
    return a.start < b.start < a.end < b.end or b.start < a.start < b.end < a.end


def merge_duplicates(spans: Iterable[Span]) -> tuple[list[Span], int]:
    """The distinct spans in order of first occurrence, and the number of duplicates merged."""
    originals = list(spans)
    distinct = list(dict.fromkeys(originals))
    return distinct, len(originals) - len(distinct)
