"""Entities as properly nested pieces, which boxes and brackets need.

Entities of different types may cross; the one that starts later is then cut at the end of the
other, and goes on after it as a second piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from innermost.document import Entity


class Piece(NamedTuple):
    start: int
    end: int
    entity: int
    """Index of the entity it belongs to."""
    depth: int
    """How many pieces are around it."""


def nested_pieces(entities: Sequence[Entity]) -> Iterator[Piece]:
    """The pieces, sorted by start, the outer before the inner; none crosses another."""
    waiting = [(e.start, -e.end, index) for index, e in enumerate(entities)]
    heapify(waiting)
    around: list[int] = []
    while waiting:
        start, minus_end, index = heappop(waiting)
        end = -minus_end
        while around and around[-1] <= start:
            around.pop()
        if around and around[-1] < end:
            heappush(waiting, (around[-1], minus_end, index))
            end = around[-1]
        yield Piece(start, end, index, len(around))
        around.append(end)
