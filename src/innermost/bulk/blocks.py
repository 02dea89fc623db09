"""Rows in blocks: the unit of work, of resuming, and of memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from innermost.bulk.rejects import Reject
from innermost.bulk.settings import Settings


@dataclass(frozen=True, slots=True)
class Row:
    number: int
    id: Any
    text: str
    columns: dict[str, Any]
    """All columns, including the text."""


@dataclass(slots=True)
class Block:
    """Rows that are predicted together. Where a block ends depends only on the content."""

    number: int
    rows: list[int] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    columns: Any = None
    """The columns copied to the output: a dict per row, or an Arrow table."""
    rejects: list[Reject] = field(default_factory=list)
    position: float = 0.0
    """How much of the file had been read at the end of the block, from 0 to 1."""

    def place(self) -> str:
        """The rows of the block, for messages."""
        numbers = sorted([*self.rows, *(reject.row for reject in self.rejects)])
        return f"rows {numbers[0]:,} to {numbers[-1]:,}" if numbers else "no rows"


def blocks(rows: Iterable[tuple[Row | Reject, float]], settings: Settings) -> Iterator[Block]:
    """The blocks of a stream of rows, each given with the position after it."""
    block = Block(0, columns=[])
    size = 0
    for row, position in rows:
        block.position = position
        if isinstance(row, Reject):
            block.rejects.append(row)
        else:
            block.rows.append(row.number)
            block.ids.append(row.id)
            block.texts.append(row.text)
            block.columns.append(row.columns)
            size += len(row.text)
        if size >= settings.block_bytes or len(block.rows) + len(block.rejects) >= (
            settings.block_rows
        ):
            yield block
            block = Block(block.number + 1, columns=[])
            size = 0
    if block.rows or block.rejects:
        yield block
