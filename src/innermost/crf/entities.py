"""Entities of a batch of sentences, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.arrays import Bools, Ints

Entity = tuple[int, int, int, int]
"""start, end, type, level"""


@dataclass(frozen=True, slots=True)
class Entities:
    """Arrays of equal length with one value per entity, in any order."""

    sentences: int
    """The number of sentences, with or without entities."""
    types: int
    row: Ints
    """``sentence * types + type``"""
    start: Ints
    end: Ints
    level: Ints
    parent: Ints
    """Index of the entity one level up, or -1."""

    def __len__(self) -> int:
        return len(self.row)

    def tolists(self, *columns: npt.NDArray[Any]) -> list[list[Any]]:
        """Per sentence ``(start, end, type, level, *columns)``, sorted by start, -end, type.

        ``columns`` are further arrays with one value per entity, such as scores.
        """
        sentence, kind = np.divmod(self.row, self.types)
        order = np.lexsort((kind, -self.end, self.start, sentence))
        values = (self.start, self.end, kind, self.level, *columns)
        entities = list(zip(*(value[order].tolist() for value in values), strict=True))
        bounds = np.searchsorted(sentence[order], np.arange(self.sentences + 1)).tolist()
        return [entities[a:b] for a, b in pairwise(bounds)]

    def of_rows(self, rows: Bools) -> Entities:
        """The entities of some rows. Entities nest within a row, so no parent is lost."""
        keep = rows[self.row]
        parent = np.append(keep.cumsum() - 1, -1)[self.parent]
        columns = (self.row, self.start, self.end, self.level, parent)
        return Entities(self.sentences, self.types, *(column[keep] for column in columns))


def from_lists(sentences: Sequence[Sequence[Entity]], types: int) -> Entities:
    """Entities in any order; levels and parents follow from their offsets."""
    rows: list[tuple[int, int, int, int, int]] = []
    for sentence, entities in enumerate(sentences):
        around: dict[int, list[int]] = {}
        base = len(rows)
        rows.extend((0, 0, 0, 0, 0) for _ in entities)
        order = sorted(range(len(entities)), key=lambda k: (entities[k][0], -entities[k][1]))
        for k in order:
            start, end, kind, _ = entities[k]
            stack = around.setdefault(kind, [])
            while stack and rows[stack[-1]][2] <= start:
                stack.pop()
            if stack and (rows[stack[-1]][2] < end or rows[stack[-1]][1:3] == (start, end)):
                raise ValueError(
                    f"spans {rows[stack[-1]][1:3]} and {(start, end)} of type {kind} "
                    f"in sentence {sentence} cross or coincide"
                )
            rows[base + k] = (
                sentence * types + kind,
                start,
                end,
                len(stack) + 1,
                stack[-1] if stack else -1,
            )
            stack.append(base + k)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Entities(len(sentences), types, *columns)
