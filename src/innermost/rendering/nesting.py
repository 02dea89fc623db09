"""The nesting of entities in drawings: nested pieces for boxes, lanes for stacked bars.

Entities are sorted by start, then longest first. Each is drawn inside the earlier ones that it
overlaps. Entities of different types may cross: the later one then ends with the earlier one and
continues after it as another piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Place(Protocol):
    """Anything with a start and an end in characters."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


class Piece(NamedTuple):
    start: int
    end: int
    entity: int
    """Index of the entity it belongs to."""
    depth: int
    """The number of pieces around it."""


def pieces(entities: Sequence[Place]) -> list[Piece]:
    """Properly nested pieces that cover the entities: sorted by start, outer before inner."""
    result: list[Piece] = []
    around: list[int] = []
    """Positions in ``result`` of the open pieces."""

    def close(before: int) -> None:
        while around:
            end = min(entities[result[at].entity].end for at in around)
            if end > before:
                return
            first = next(i for i, at in enumerate(around) if entities[result[at].entity].end == end)
            inner = around[first:]
            del around[first:]
            for at in inner:
                result[at] = result[at]._replace(end=end)
                if entities[result[at].entity].end > end:
                    open_piece(result[at].entity, end)

    def open_piece(entity: int, start: int) -> None:
        result.append(Piece(start, entities[entity].end, entity, len(around)))
        around.append(len(result) - 1)

    for index, entity in enumerate(entities):
        close(entity.start)
        open_piece(index, entity.start)
    close(max((entity.end for entity in entities), default=0))
    return result


def lanes(entities: Sequence[Place]) -> list[int]:
    """A lane for each entity, 0 nearest to the text; overlapping entities never share one.

    An entity's lane is above the lanes of all entities drawn inside it.
    """
    result = [0] * len(entities)
    for index in range(len(entities) - 1, -1, -1):
        end = entities[index].end
        for inner in range(index + 1, len(entities)):
            if entities[inner].start >= end:
                break
            result[index] = max(result[index], result[inner] + 1)
    return result


_CHUNK, _LONG_CHUNK = 400, 8_000


def chunks(text: str, entities: Sequence[Place]) -> list[tuple[int, int]]:
    """The text in parts that a browser lays out independently; no entity spans two of them.

    A part ends at a line break, or at a space in very long lines.
    """
    result: list[tuple[int, int]] = []
    start = covered = index = 0
    newline = space = -1
    at = _CHUNK - 1
    while True:
        newline = _next("\n", text, at, newline)
        space = _next(" ", text, max(at, start + _LONG_CHUNK - 1), space)
        position = min(newline, space)
        if position == len(text):
            break
        while index < len(entities) and entities[index].start <= position:
            covered = max(covered, entities[index].end)
            index += 1
        at = position + 1
        if covered <= position + 1:
            result.append((start, position + 1))
            start = position + 1
            at = start + _CHUNK - 1
    if start < len(text) or not result:
        result.append((start, len(text)))
    return result


def _next(sign: str, text: str, at: int, last: int) -> int:
    """The first ``sign`` at or after ``at``, or the end; ``last`` was the previous answer."""
    if last >= at:
        return last
    place = text.find(sign, at)
    return len(text) if place < 0 else place
