"""Remove crossing spans, which brackets and tags cannot represent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from innermost.corpus.context import Context
from innermost.nest import Span


class Crossing(NamedTuple):
    lost: Span
    kept: Span


def without_crossings(
    spans: Iterable[Span], context: Context, *, text: Callable[[Span], str]
) -> list[Span]:
    """The spans that brackets can represent; the shorter of two that cross is reported lost."""
    kept, crossings = separate(spans)
    for lost, other in crossings:
        detail = f"{lost.label} {text(lost)!r} crosses {other.label} {text(other)!r}"
        context.lost("crossing span", detail)
    return kept


def separate(spans: Iterable[Span]) -> tuple[list[Span], list[Crossing]]:
    """The spans that do not cross a longer one, longest first, and the others.

    A span crosses one that is not shorter if and only if an edge of that one is strictly inside it.
    So it is enough to look at the edges of the spans that are kept: O(n log n).
    """
    ordered = sorted(spans, key=lambda span: (span.start - span.end, span.start, span.label))
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
