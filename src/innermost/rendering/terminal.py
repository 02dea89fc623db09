"""A document for a terminal: the text, and under each line of it one bar per entity.

    The sister of the mayor of Ghent spoke.
                               ╰───╯ PLACE 0.98
                  ╰─ PERSON 0.90 ──╯
    ╰──────── PERSON 0.99 ─────────╯

Inner entities lie nearer to the text. What needs colours says the same without them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from rich.cells import get_character_cell_size
from rich.text import Text

from innermost.document import Document, Entity
from innermost.rendering.palette import terminal_colour

_INVISIBLE = ("Cc", "Cs", "Zl", "Zp", "Cf")


def draw(document: Document, width: int) -> Iterator[Text]:
    """The lines to print, none wider than ``width`` where the labels allow it."""
    # A character of control could do anything to the terminal; each becomes one space.
    text = "".join(c if c == "\n" or _visible(c) else " " for c in document.text)
    waiting = list(reversed(document.entities))
    open_entities: list[Entity] = []
    for start, end in wrap(text, width):
        while waiting and waiting[-1].start < end:
            open_entities.append(waiting.pop())
        inside = [e for e in open_entities if e.end > start]
        yield from _draw_line(document, text, start, end, inside, width)
        open_entities = [e for e in inside if e.end > end]


def wrap(text: str, width: int) -> Iterator[tuple[int, int]]:
    """The lines of ``text`` as offsets: broken at line ends and, where too wide, at spaces."""
    start = 0
    for paragraph in text.split("\n"):
        stop = start + len(paragraph)
        while start < stop:
            end = _fitting(text, start, stop, width)
            yield start, end
            start = end
        if not paragraph:
            yield start, start
        start = stop + 1


def _fitting(text: str, start: int, stop: int, width: int) -> int:
    """Where a line that begins at ``start`` ends; the spaces that follow belong to it."""
    used = 0
    last_space = None
    for position in range(start, stop):
        character = text[position]
        used += get_character_cell_size(character)
        if character == " ":
            last_space = position
        elif used > width:
            return position if last_space is None else last_space + 1
        if position == start and used > width:
            return start + 1
    return stop


@dataclass(slots=True)
class _Bar:
    """The part of an entity that lies on one line, in columns."""

    entity: Entity
    left: int
    right: int
    begins: bool
    ends: bool
    row: int = 0

    def shown(self, width: int) -> tuple[int, str]:
        """The column it begins at, and the bar with its label: in it, else beside it."""
        label = f"{self.entity.label} {self.entity.score:.2f}"
        size = self.right - self.left
        first = "╰" if self.begins else "─"
        last = "╯" if self.ends else "─"
        if size == 1:
            bar = "╵"
        elif size >= len(label) + 4:
            return self.left, f"{first}{f' {label} '.center(size - 2, '─')}{last}"
        else:
            bar = f"{first}{'─' * (size - 2)}{last}"
        if self.right + 1 + len(label) > width and self.left > len(label):
            return self.left - len(label) - 1, f"{label} {bar}"
        return self.left, f"{bar} {label}"


def _draw_line(
    document: Document, text: str, start: int, end: int, entities: list[Entity], width: int
) -> Iterator[Text]:
    line = text[start:end]
    columns = [0, *accumulate(map(get_character_cell_size, line))]
    drawn = Text(line.rstrip(" "))
    bars: list[_Bar] = []
    for entity in sorted(entities, key=lambda e: e.start - e.end):
        first, last = max(entity.start, start) - start, min(entity.end, end) - start
        stretch = line[first:last].rstrip(" ")
        if not stretch:
            continue
        last = first + len(stretch)
        colour = terminal_colour(entity.label, document.types)
        drawn.stylize(f"bold {colour}", first, last)
        right = max(columns[last], columns[first] + 1)
        begins, ends = entity.start >= start, entity.end <= end
        bars.append(_Bar(entity, columns[first], right, begins, ends))
    yield drawn
    bars.reverse()
    yield from _draw_rows(document, bars, width)


def _draw_rows(document: Document, bars: list[_Bar], width: int) -> Iterator[Text]:
    """``bars`` come with the shortest first; each gets the first row that has room for it."""
    rows: list[list[tuple[int, str, str]]] = []
    for index, bar in enumerate(bars):
        column, content = bar.shown(width)
        below = [o.row + 1 for o in bars[:index] if o.left < bar.right and bar.left < o.right]
        row = max(below, default=0)
        while row < len(rows) and _taken(rows[row], column, column + len(content)):
            row += 1
        if row == len(rows):
            rows.append([])
        rows[row].append((column, content, terminal_colour(bar.entity.label, document.types)))
        bar.row = row
    for cells in rows:
        text = Text()
        for column, content, colour in sorted(cells):
            text.append(" " * (column - len(text)))
            text.append(content, colour)
        yield text


def _taken(cells: list[tuple[int, str, str]], left: int, right: int) -> bool:
    return any(left < column + len(c) + 1 and column < right + 1 for column, c, _ in cells)


def _visible(character: str) -> bool:
    return " " <= character <= "~" or unicodedata.category(character) not in _INVISIBLE
