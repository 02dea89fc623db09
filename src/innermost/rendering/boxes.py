"""A text with a box around each entity: HTML elements nested as the entities are.

The style is ``entities.css``; the service's page creates the same elements in the browser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from innermost.rendering.labels import LINES_LABEL, label_rules, label_width
from innermost.rendering.nesting import Piece, chunks, lanes, pieces
from innermost.rendering.palette import look
from innermost.rendering.widths import text_width

if TYPE_CHECKING:
    from innermost.document import Document

_MOST_LANES = 24
"""The number of lanes in ``entities.css``."""
_LABEL_EDGES = 0.45
_ROOM, _NARROW_ROOM = 18, 8.5
"""Labels of nested boxes take at most this many ems of a line; fewer on narrow pages."""

_HYPHENATED = re.compile(r"(?=.*-)[!-~]{2,12}")
"""A short word that browsers would break at its hyphen."""


class Box(NamedTuple):
    """An entity as it is drawn."""

    start: int
    end: int
    label: str
    title: str = ""
    """Shown on hover."""
    score: float | None = None
    kind: str = ""
    """``quiet`` if it is the same on the other side, else ``missed``, ``wrong`` or ``only``."""
    note: str = ""
    """Written after the box; not part of the text."""


def document_boxes(document: Document) -> list[Box]:
    return [
        Box(e.start, e.end, e.label, f"{e.label} {e.score:.2f}, level {e.level}", e.score)
        for e in document.entities
    ]


def style(labels: Iterable[str]) -> str:
    """The CSS that boxes with these labels need."""
    sheet = (files("innermost.rendering") / "entities.css").read_text(encoding="utf-8")
    return sheet + label_rules(labels)


def boxes(text: str, entities: Iterable[Box], types: Sequence[str]) -> str:
    """The text as HTML; ``types`` determines the colors. Its language is not known."""
    ordered = sorted(entities, key=lambda box: (box.start, -box.end))
    height = lanes(ordered)
    nested = pieces(ordered)
    opening = [
        _opening(text, piece, ordered[piece.entity], height[piece.entity], types, label)
        for piece, label in zip(nested, label_classes(nested, ordered), strict=True)
    ]
    waiting = list(zip(nested, opening, strict=True))[::-1]
    parts = []
    for start, end in chunks(text, ordered):
        inside: list[tuple[Piece, str]] = []
        while waiting and waiting[-1][0].start < end:
            inside.append(waiting.pop())
        tallest = max((height[piece.entity] for piece, _ in inside), default=0)
        content = _chunk(text, start, end, inside)
        parts.append(f'<span class="u{min(tallest, _MOST_LANES)}" dir="auto">{content}</span>')
    return f'<div class="innermost-text" lang="">{"".join(parts)}</div>'


def _chunk(text: str, start: int, end: int, inside: Iterable[tuple[Piece, str]]) -> str:
    """A part of the text with its pieces and their opening tags."""
    parts: list[str] = []
    ends: list[int] = []
    position = start

    def advance(to: int) -> None:
        nonlocal position
        parts.append(escape(text[position:to], quote=False))
        position = to

    for piece, opening in inside:
        while ends and ends[-1] <= piece.start:
            advance(ends.pop())
            parts.append("</mark>")
        advance(piece.start)
        parts.append(opening)
        ends.append(piece.end)
    while ends:
        advance(ends.pop())
        parts.append("</mark>")
    advance(end)
    return "".join(parts)


def _opening(
    text: str, piece: Piece, box: Box, height: int, types: Sequence[str], label: str
) -> str:
    classes = [look(box.label, types).classes, f"u{min(height, _MOST_LANES)}"]
    if piece.start > box.start:
        classes.append("cut-start")
    if piece.end < box.end:
        classes.append("cut-end")
    if label:
        classes.append(label)
    if text_width(text[piece.start : piece.end]) < LINES_LABEL * label_width(box.label):
        classes.append("tight")
    if _HYPHENATED.fullmatch(text, piece.start, piece.end):
        classes.append("word")
    if box.kind:
        classes.append(box.kind)
    attributes = [f'class="{" ".join(classes)}"', f'data-type="{escape(box.label)}"']
    if box.score is not None:
        attributes.append(f'data-score="{box.score:.4f}"')
    if box.title:
        attributes.append(f'title="{escape(box.title)}"')
    if box.note and piece.end == box.end:
        attributes.append(f'data-note="{escape(box.note)}"')
    return f"<mark {' '.join(attributes)}>"


def label_classes(nested: Sequence[Piece], entities: Sequence[Box]) -> list[str]:
    """``deep`` for pieces without a label, because those around them fill the line.

    ``inner`` for those without a label on narrow pages.
    """
    classes: list[str] = []
    taken: list[float] = []
    for piece in nested:
        del taken[piece.depth :]
        before = taken[-1] if taken else 0.0
        needed = before + label_width(entities[piece.entity].label) + _LABEL_EDGES
        deep = needed > _ROOM
        taken.append(before if deep else needed)
        narrow = piece.depth > 0 and needed > _NARROW_ROOM
        classes.append("deep" if deep else "inner" if narrow else "")
    return classes


def legend(labels: Iterable[str], types: Sequence[str]) -> str:
    """The color and pattern of each type."""
    items = "".join(
        f'<li><i class="{look(label, types).classes}"></i>{escape(label)}</li>'
        for label in dict.fromkeys(labels)
    )
    return f'<ul class="innermost-legend" aria-label="Types">{items}</ul>' if items else ""
