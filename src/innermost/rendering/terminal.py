"""A text for a terminal: under each line one bar per entity.

    The sister of the mayor of Ghent spoke.
                               ╰───╯ PLACE 0.98
                  ╰─ PERSON 0.90 ──╯
    ╰──────── PERSON 0.99 ─────────╯

Inner entities are nearer to the text. Nothing is conveyed by color alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from innermost.rendering.boxes import Box, document_boxes
from innermost.rendering.cells import cells, visible
from innermost.rendering.labels import one_line
from innermost.rendering.palette import terminal_color

if TYPE_CHECKING:
    from innermost.document import Document

_USUAL_WIDTH = 80


def draw(document: Document, width: int) -> Iterator[Text]:
    """The lines to print, none wider than ``width`` if the labels fit."""
    return draw_text(document.text, document_boxes(document), document.types, width)


def draw_text(text: str, boxes: Sequence[Box], types: Sequence[str], width: int) -> Iterator[Text]:
    """Draw ``boxes``, sorted by start; quiet ones are dim."""
    for block in draw_blocks(text, boxes, types, width):
        yield from block


def draw_blocks(
    text: str, boxes: Sequence[Box], types: Sequence[str], width: int
) -> Iterator[list[Text]]:
    """The same in blocks: each is a line of the text with the bars under it."""
    width = width if width > 0 else _USUAL_WIDTH
    waiting = list(reversed(boxes))
    unfinished: list[Box] = []
    for start, end in wrap(text, width):
        while waiting and waiting[-1].start < end:
            unfinished.append(waiting.pop())
        inside = [box for box in unfinished if box.end > start]
        yield list(_draw_line(text[start:end], start, inside, types, width))
        unfinished = [box for box in inside if box.end > end]


def wrap(text: str, width: int) -> Iterator[tuple[int, int]]:
    """The lines of ``text`` as offsets: split at line breaks and, if too wide, at spaces."""
    start = 0
    for paragraph in text.split("\n"):
        stop = start + len(paragraph)
        sizes = cells(paragraph)
        first = start
        while start < stop:
            end = first + _fitting(paragraph, sizes, start - first, width)
            yield start, end
            start = end
        if not paragraph:
            yield start, start
        start = stop + 1


def _fitting(paragraph: str, sizes: Sequence[int], start: int, width: int) -> int:
    """The end of the line that begins at ``start``, including the spaces that follow."""
    used = 0
    last_space = None
    for position in range(start, len(paragraph)):
        used += sizes[position]
        if paragraph[position] == " ":
            last_space = position
        elif used > width:
            return max(position, start + 1) if last_space is None else last_space + 1
    return len(paragraph)


@dataclass(slots=True)
class _Bar:
    """The part of an entity that is on one line, in columns."""

    label: str
    style: str
    left: int
    right: int
    begins: bool
    ends: bool
    row: int = 0

    def shown(self, width: int) -> tuple[int, str]:
        """Its first column, and the bar with its label: inside it if it fits, else next to it."""
        size, label_size = self.right - self.left, cell_len(self.label)
        first = "╰" if self.begins else "─"
        last = "╯" if self.ends else "─"
        if size == 1:
            bar = "╵"
        elif size >= label_size + 4:
            before = (size - label_size - 3) // 2
            after = size - label_size - 4 - before
            return self.left, f"{first}{'─' * before} {self.label} {'─' * after}{last}"
        else:
            bar = f"{first}{'─' * (size - 2)}{last}"
        if self.right + 1 + label_size > width and self.left > label_size:
            return self.left - label_size - 1, f"{self.label} {bar}"
        return self.left, f"{bar} {self.label}"


def _draw_line(
    line: str, start: int, boxes: Sequence[Box], types: Sequence[str], width: int
) -> Iterator[Text]:
    signs = visible(line)
    columns = [0, *accumulate(cells(line))]
    offsets = [0, *accumulate(map(len, signs))]
    drawn = Text("".join(signs).rstrip(" "))
    bars: list[_Bar] = []
    for box in sorted(boxes, key=lambda box: box.start - box.end):
        first = max(box.start - start, 0)
        stretch = "".join(signs[first : box.end - start]).rstrip(" ")
        if not stretch:
            continue
        last = next(
            i for i in range(first, len(offsets)) if offsets[i] >= offsets[first] + len(stretch)
        )
        color = "dim" if box.kind == "quiet" else terminal_color(box.label, types)
        if box.kind != "quiet":
            drawn.stylize(f"bold {color}", offsets[first], offsets[last])
        right = max(columns[last], columns[first] + 1)
        begins, ends = box.start >= start, box.end <= start + len(line)
        bars.append(_Bar(_label(box), color, columns[first], right, begins, ends))
    yield drawn
    bars.reverse()
    yield from _draw_rows(bars, width)


def _label(box: Box) -> str:
    parts = [one_line(box.label)]
    parts += [] if box.score is None else [f"{box.score:.2f}"]
    parts += [f"({one_line(box.note)})"] if box.note else []
    return " ".join(parts)


def _draw_rows(bars: list[_Bar], width: int) -> Iterator[Text]:
    """Draw ``bars``, shortest first, each in the first row with room for it."""
    rows: list[list[tuple[int, str, str]]] = []
    for index, bar in enumerate(bars):
        column, content = bar.shown(width)
        below = [o.row + 1 for o in bars[:index] if o.left < bar.right and bar.left < o.right]
        row = max(below, default=0)
        while row < len(rows) and _taken(rows[row], column, column + cell_len(content)):
            row += 1
        if row == len(rows):
            rows.append([])
        rows[row].append((column, content, bar.style))
        bar.row = row
    for content_cells in rows:
        text = Text()
        for column, content, style in sorted(content_cells):
            text.append(" " * (column - cell_len(text.plain)))
            text.append(content, style)
        yield text


def _taken(row: list[tuple[int, str, str]], left: int, right: int) -> bool:
    return any(left < column + cell_len(c) + 1 and column < right + 1 for column, c, _ in row)
