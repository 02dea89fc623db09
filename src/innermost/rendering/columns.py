"""Two drawings next to each other in a terminal, or below each other if it is narrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.cells import cell_len
from rich.text import Text

from innermost.rendering.boxes import Box
from innermost.rendering.labels import one_line
from innermost.rendering.terminal import draw_blocks, draw_text

_NARROW = 100
_SEPARATOR = " │ "


def draw_pair(
    text: str,
    sides: Sequence[Sequence[Box]],
    names: Sequence[str],
    types: Sequence[str],
    width: int,
) -> Iterator[Text]:
    """The text with the boxes of both sides, each under its name."""
    if width < _NARROW:
        for name, side in zip(names, sides, strict=True):
            yield Text(one_line(name), "bold underline")
            yield from draw_text(text, side, types, width)
        return
    column = (width - len(_SEPARATOR)) // 2
    heading = [[Text(one_line(name), "bold underline")] for name in names]
    left, right = (
        [first, *draw_blocks(text, side, types, column)]
        for first, side in zip(heading, sides, strict=True)
    )
    # A label that does not fit makes its column wider.
    column = max(column, *(cell_len(line.plain) for block in left for line in block))
    for block, other in zip(left, right, strict=True):
        for first, second in zip_longest(block, other, fillvalue=Text()):
            line = first.copy()
            line.append(" " * (column - cell_len(first.plain)))
            line.append(_SEPARATOR, "dim")
            line.append_text(second)
            line.rstrip()
            yield line
