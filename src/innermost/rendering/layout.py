"""Lines of text with nested boxes, in ems, for drawings without a browser.

It follows the rules of ``entities.css``: a box that spans several lines has its label on each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from innermost.rendering.boxes import Box, label_classes
from innermost.rendering.labels import label_width
from innermost.rendering.nesting import Piece, lanes, pieces
from innermost.rendering.widths import text_width

MARGIN, BORDER = 0.1, 0.09
_BEFORE_TEXT, _AFTER_TEXT = 0.25, 0.22
_DEEP = 0.06
_WORDS = re.compile(r"[ \t\r\f\v]+|\n|[^\s]+|\s")


class Run(NamedTuple):
    """Text on one line without box edges in it."""

    x: float
    width: float
    text: str


@dataclass(slots=True)
class Frame:
    """The part of a box that is on one line."""

    piece: Piece
    x: float
    height: int
    """The number of boxes nested in its entity."""
    label: float
    """Width of the part with the label; 0 without one."""
    open_start: bool
    """Whether its entity continues before it, in another box."""
    width: float = 0.0
    open_end: bool = False


@dataclass(slots=True)
class Line:
    right_to_left: bool
    runs: list[Run] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    """Outer frames before inner ones."""

    @property
    def height(self) -> int:
        """The greatest number of nested boxes."""
        return max((frame.height + 1 for frame in self.frames), default=0)


class _Atom(NamedTuple):
    """An unbreakable unit: a word with the edges of boxes that touch it."""

    space: str
    """The whitespace before it, which disappears at a line break."""
    parts: list[str | Piece | None]
    """Text, a box that opens, or None for the end of the innermost box."""


def lay_out(text: str, boxes: Sequence[Box], width: float) -> list[Line]:
    """Lay out ``text``; ``boxes`` are sorted by start, then longest first."""
    return _Setter(text, boxes, width).lines


class _Setter:
    """Sets the text word by word."""

    def __init__(self, text: str, boxes: Sequence[Box], width: float) -> None:
        self._boxes = boxes
        self._heights = lanes(boxes)
        self._width = width
        self._x = 0.0
        self._open: list[Frame] = []
        self.lines: list[Line] = []
        paragraphs = text.split("\n")
        directions = iter([_is_right_to_left(paragraph) for paragraph in paragraphs])
        self.lines.append(Line(next(directions)))
        nested = pieces(boxes)
        labels = label_classes(nested, boxes)
        self._deep = {p for p, label in zip(nested, labels, strict=True) if label == "deep"}
        for atom in _atoms(text, nested):
            if atom is None:
                self._break(next(directions))
            else:
                self._set(atom)

    def _set(self, atom: _Atom) -> None:
        line = self.lines[-1]
        space = text_width(atom.space)
        ends = sum(self._end_width(frame.piece) for frame in self._open)
        needed = self._x + space + self._atom_width(atom) + ends
        if needed > self._width and line.runs and atom.parts:
            self._break(line.right_to_left)
        elif atom.space:
            self._text(atom.space)
        for part in atom.parts:
            if isinstance(part, str):
                self._text(part)
            elif part is None:
                self._close()
            else:
                self._start(part)

    def _text(self, text: str) -> None:
        line, width = self.lines[-1], text_width(text)
        if line.runs and line.runs[-1].x + line.runs[-1].width == self._x:
            last = line.runs.pop()
            line.runs.append(Run(last.x, last.width + width, last.text + text))
        else:
            line.runs.append(Run(self._x, width, text))
        self._x = line.runs[-1].x + line.runs[-1].width

    def _start(self, piece: Piece) -> None:
        box = self._boxes[piece.entity]
        label = 0.0 if piece in self._deep else label_width(box.label)
        cut = piece.start > box.start
        frame = Frame(piece, self._x + MARGIN, self._heights[piece.entity], label, cut)
        self._x += self._start_width(piece)
        self._open.append(frame)
        self.lines[-1].frames.append(frame)

    def _close(self) -> Frame:
        frame = self._open.pop()
        self._x += self._end_width(frame.piece)
        frame.width = self._x - MARGIN - frame.x
        frame.open_end = frame.piece.end < self._boxes[frame.piece.entity].end
        return frame

    def _break(self, right_to_left: bool) -> None:
        """End the line; open boxes end with it and start again on the next."""
        again = [self._close().piece for _ in self._open[:]][::-1]
        self.lines.append(Line(right_to_left))
        self._x = 0.0
        for piece in again:
            self._start(piece)

    def _start_width(self, piece: Piece) -> float:
        if piece in self._deep:
            return MARGIN + BORDER + _DEEP
        return MARGIN + BORDER + label_width(self._boxes[piece.entity].label) + _BEFORE_TEXT

    def _end_width(self, piece: Piece) -> float:
        return MARGIN + BORDER + (_DEEP if piece in self._deep else _AFTER_TEXT)

    def _atom_width(self, atom: _Atom) -> float:
        """Its width, including both edges of boxes that open in it but not other closing edges."""
        width = 0.0
        for part in atom.parts:
            if isinstance(part, str):
                width += text_width(part)
            elif part is not None:
                width += self._start_width(part) + self._end_width(part)
        return width


def _atoms(text: str, nested: Sequence[Piece]) -> Iterator[_Atom | None]:
    """The words of a text with its boxes; None is a line break."""
    atom = _Atom("", [])
    for part in _parts(text, nested):
        if part == "\n":
            yield atom
            yield None
            atom = _Atom("", [])
        elif isinstance(part, str) and part.isspace():
            yield atom
            atom = _Atom(part, [])
        elif isinstance(part, str) and atom.parts and isinstance(atom.parts[-1], str):
            # Two parts of one word that a line may break between.
            yield atom
            atom = _Atom("", [part])
        else:
            atom.parts.append(part)
    yield atom


def _parts(text: str, nested: Sequence[Piece]) -> Iterator[str | Piece | None]:
    position = 0
    ends: list[int] = []

    def words(to: int) -> Iterator[str]:
        nonlocal position
        for word in _WORDS.findall(text[position:to]):
            yield from _short(word)
        position = to

    for piece in nested:
        while ends and ends[-1] <= piece.start:
            yield from words(ends.pop())
            yield None
        yield from words(piece.start)
        yield piece
        ends.append(piece.end)
    while ends:
        yield from words(ends.pop())
        yield None
    yield from words(len(text))


_LONGEST_WORD = 40


def _short(word: str) -> Iterator[str]:
    """Split a word of wide characters or extreme length into parts that lines can break between."""
    part = ""
    for character in word:
        if part and _may_break(part, character):
            yield part
            part = ""
        part += character
    yield part


def _may_break(part: str, character: str) -> bool:
    # Combining marks, joiners and variation selectors belong to the preceding character.
    if unicodedata.category(character)[0] in "MC" or part[-1] == "\u200d":
        return False
    return len(part) >= _LONGEST_WORD or _wide(character) or _wide(part[0])


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")


def _is_right_to_left(text: str) -> bool:
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False
