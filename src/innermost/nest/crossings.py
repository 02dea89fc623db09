"""Which spans to keep so that no two of them cross, in O(n log n)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from innermost.nest.span import Span


class Crossing(NamedTuple):
    lost: Span
    kept: Span


def separate(spans: Iterable[Span]) -> tuple[list[Span], list[Crossing]]:
    """The spans that do not cross a longer one, longest first, and the others.

    Of two of the same length, the one that starts later is lost. A span crosses one that is not
    shorter if and only if an edge of that one is strictly inside it. So it is enough to look at the
    edges of the spans that are kept.
    """
    ordered = sorted(spans, key=lambda span: (span.start - span.end, span.start, span.label))
    if _are_nested(ordered):
        return ordered, []
    places = {edge: n for n, edge in enumerate(sorted({e for s in ordered for e in s[:2]}))}
    edges = _Latest(len(places))
    kept: list[Span] = []
    crossings: list[Crossing] = []
    for span in ordered:
        start, end = places[span.start], places[span.end]
        other = edges.within(start + 1, end)
        if other >= 0:
            crossings.append(Crossing(span, kept[other]))
            continue
        edges.mark(start, len(kept))
        edges.mark(end, len(kept))
        kept.append(span)
    return kept, crossings


def count_crossings(spans: Iterable[Span]) -> int:
    """How many pairs of spans cross.

    Those are the pairs in which one starts and ends strictly inside and outside the other: for each
    span, the ends strictly inside it, less those of the spans that do not begin before it.
    """
    ordered = list(spans)
    if _are_nested(ordered):
        return 0
    ends = sorted(span.end for span in ordered)
    total = 0
    # By start from the right: ``later`` has the ends of the spans that start at or after it.
    later = _Counts(sorted(set(ends)))
    by_start = sorted(ordered, key=lambda span: -span.start)
    for start, same in groupby(by_start, key=lambda span: span.start):
        group = list(same)
        for span in group:
            later.add(span.end)
        for span in group:
            inside = bisect_left(ends, span.end) - bisect_right(ends, start)
            total += inside - later.between(start, span.end)
    return total


class _Counts:
    """How many of the numbers added so far are in a range: a Fenwick tree."""

    def __init__(self, values: list[int]) -> None:
        self._values = values
        self._tree = [0] * (len(values) + 1)

    def add(self, value: int) -> None:
        place = bisect_left(self._values, value) + 1
        while place < len(self._tree):
            self._tree[place] += 1
            place += place & -place

    def between(self, low: int, high: int) -> int:
        """Strictly between the two."""
        below_high = self._first(bisect_left(self._values, high))
        return below_high - self._first(bisect_right(self._values, low))

    def _first(self, number: int) -> int:
        total = 0
        while number > 0:
            total += self._tree[number]
            number -= number & -number
        return total


def _are_nested(spans: Iterable[Span]) -> bool:
    """Whether no two spans cross: the common case, and fast to check."""
    around: list[int] = []
    for start, end, _ in sorted(spans, key=lambda span: (span.start, -span.end)):
        while around and around[-1] <= start:
            around.pop()
        if around and around[-1] < end:
            return False
        around.append(end)
    return True


class _Latest:
    """The largest number marked in a range of positions: a segment tree."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tree = [-1] * (2 * size)

    def mark(self, place: int, number: int) -> None:
        """``number`` must be larger than all numbers marked before."""
        place += self._size
        while place:
            self._tree[place] = number
            place //= 2

    def within(self, first: int, last: int) -> int:
        """The largest number from ``first`` to ``last`` (exclusive); -1 if there is none."""
        first += self._size
        last += self._size
        largest = -1
        while first < last:
            if first % 2:
                largest = max(largest, self._tree[first])
                first += 1
            if last % 2:
                last -= 1
                largest = max(largest, self._tree[last])
            first //= 2
            last //= 2
        return largest
