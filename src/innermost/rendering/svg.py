"""Documents as one SVG picture, for papers and slides: nested boxes as in HTML.

Colors are attributes, not styles, and each text is fixed to its width, so that programs other than
browsers draw the same picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from innermost.rendering.boxes import Box, document_boxes
from innermost.rendering.labels import LABEL_SIZE, shown, words_width
from innermost.rendering.layout import BORDER, Frame, Line, lay_out
from innermost.rendering.palette import COLORS, look
from innermost.rendering.widths import text_width

if TYPE_CHECKING:
    from innermost.document import Document

_EM = 16.0
_WIDTH = 720.0
_EDGE = 12.0
_ASCENT, _DESCENT = 0.95 * _EM, 0.32 * _EM
_STEP = 0.21 * _EM
"""How much taller a box is than the one inside it, above and below."""
_GAP = 0.2 * _EM
_RADIUS = 0.35 * _EM
_STRIP = 0.28 * _EM
_BOLD = 1.07
_INK = "#1b1f24"
_FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
_STRIPES = (
    None,
    "M-1 3L1 5M0 0L4 4M3 -1L5 1",
    "M1 0V4",
    "M-1 1L1 -1M0 4L4 0M3 5L5 3",
    "M0 1H4",
)
"""The patterns by number, each a path in a tile of 4 by 4."""


def picture(documents: Iterable[tuple[str | None, Document]], title: str) -> str:
    """Named documents below each other, and a legend."""
    drawing = _Drawing()
    for name, document in documents:
        drawing.add(name, document)
    return drawing.svg(title)


class _Drawing:
    """The shapes of the picture, from top to bottom."""

    def __init__(self) -> None:
        self._shapes: list[str] = []
        self._y = _EDGE
        self._types: Sequence[str] = ()
        self._labels: dict[str, None] = {}

    def add(self, name: str | None, document: Document) -> None:
        self._types = self._types or document.types
        if name:
            width = text_width(name) * _EM * _BOLD
            self._text(_EDGE, self._y + _ASCENT, width, name, weight="600")
            self._y += 1.7 * _EM
        boxes = sorted(document_boxes(document), key=lambda box: (box.start, -box.end))
        self._labels.update(dict.fromkeys(box.label for box in boxes))
        width = (_WIDTH - 2 * _EDGE) / _EM
        for line in lay_out(document.text.rstrip("\n"), boxes, width):
            self._line(line, boxes, document.types)
        self._y += 0.8 * _EM

    def svg(self, title: str) -> str:
        self._legend()
        width, height = f"{_WIDTH:g}", f"{self._y + _EDGE:.1f}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" font-family="{_FONT}" '
            f'font-size="{_EM:g}" fill="{_INK}"><title>{_escape(title)}</title>{_patterns()}'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{"".join(self._shapes)}</svg>\n'
        )

    def _line(self, line: Line, boxes: Sequence[Box], types: Sequence[str]) -> None:
        tall = line.height * _STEP
        baseline = self._y + tall + _ASCENT
        for frame in line.frames:
            self._frame(frame, boxes[frame.piece.entity], baseline, line, types)
        for run in line.runs:
            if not run.text.isspace():
                x, width = self._place(run.x, run.width, line)
                self._text(x, baseline, width, run.text, right_to_left=line.right_to_left)
        self._y = baseline + _DESCENT + tall + _GAP

    def _place(self, x: float, width: float, line: Line) -> tuple[float, float]:
        """Left side and width; right-to-left lines are mirrored."""
        x, width = x * _EM, width * _EM
        return (_WIDTH - _EDGE - x - width if line.right_to_left else _EDGE + x), width

    def _frame(
        self, frame: Frame, box: Box, baseline: float, line: Line, types: Sequence[str]
    ) -> None:
        color, pattern = look(box.label, types)
        fill, edge, tint = COLORS[color]
        pad = (frame.height + 0.5) * _STEP
        top, height = baseline - _ASCENT - pad, _ASCENT + _DESCENT + 2 * pad
        x, width = self._place(frame.x, frame.width, line)
        label = (frame.label + BORDER) * _EM if frame.label else 0.0
        left_open, right_open = frame.open_start, frame.open_end
        chip = x
        if line.right_to_left:
            left_open, right_open = right_open, left_open
            chip = x + width - label
        radii = (0.0 if left_open else _RADIUS), (0.0 if right_open else _RADIUS)
        self._shapes.append(f'<path d="{_rounded(x, top, width, height, *radii)}" fill="{tint}"/>')
        if label:
            chip_radii = (0.0, radii[1]) if line.right_to_left else (radii[0], 0.0)
            shape = _rounded(chip, top, label, height, *chip_radii)
            self._shapes.append(f'<path d="{shape}" fill="{fill}"/>')
            if _STRIPES[pattern]:
                strip = chip + label - _STRIP if line.right_to_left else chip
                self._shapes.append(
                    f'<rect x="{strip:.1f}" y="{top + _RADIUS / 2:.1f}" width="{_STRIP:.1f}" '
                    f'height="{height - _RADIUS:.1f}" fill="{_pattern_fill(pattern)}"/>'
                )
            middle = baseline + (_DESCENT - _ASCENT) / 2 + 0.36 * LABEL_SIZE * _EM
            words = words_width(box.label) * _EM
            self._text(
                *(chip + (label - words) / 2, middle, words, shown(box.label)),
                weight="600",
                size=LABEL_SIZE * _EM,
            )
        outline = _rounded(x, top, width, height, *radii, open_sides=(left_open, right_open))
        self._shapes.append(f'<path d="{outline}" fill="none" stroke="{edge}" stroke-width="1.3"/>')

    def _text(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        *,
        weight: str = "",
        size: float = 0.0,
        right_to_left: bool = False,
    ) -> None:
        attributes = f'x="{x + width if right_to_left else x:.1f}" y="{y:.1f}"'
        if len(text) > 1 and width:
            attributes += f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
        attributes += f' font-weight="{weight}"' if weight else ""
        attributes += f' font-size="{size:.2f}"' if size else ""
        attributes += ' direction="rtl"' if right_to_left else ""
        content = _escape(text.replace("\t", "    "))
        self._shapes.append(f'<text {attributes} xml:space="preserve">{content}</text>\n')

    def _legend(self) -> None:
        x = _EDGE
        known = [label for label in self._types if label in self._labels]
        for label in dict.fromkeys([*known, *self._labels]):
            width = text_width(label) * _EM
            if x > _EDGE and x + 1.8 * _EM + width > _WIDTH - _EDGE:
                x, self._y = _EDGE, self._y + 1.5 * _EM
            color, pattern = look(label, self._types)
            box = f'x="{x:.1f}" y="{self._y:.1f}" width="{1.4 * _EM:.1f}" height="{0.9 * _EM:.1f}"'
            self._shapes.append(
                f'<rect {box} fill="{COLORS[color].fill}"/><rect {box} stroke-width="1.3" '
                f'stroke="{COLORS[color].edge}" fill="{_pattern_fill(pattern)}"/>'
            )
            self._text(x + 1.8 * _EM, self._y + 0.78 * _EM, width, label)
            x += 2.8 * _EM + width
        self._y += 0.9 * _EM if self._labels else 0.0


_NOT_IN_XML = re.compile("[^\\t\\n\\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escape(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text))


def _pattern_fill(pattern: int) -> str:
    return f"url(#stripes{pattern})" if _STRIPES[pattern] else "none"


def _patterns() -> str:
    tiles = "".join(
        f'<pattern id="stripes{number}" width="4" height="4" patternUnits="userSpaceOnUse">'
        f'<path d="{path}" stroke="#000" stroke-opacity=".55" stroke-width="1.3"/></pattern>'
        for number, path in enumerate(_STRIPES)
        if path
    )
    return f"<defs>{tiles}</defs>"


def _rounded(
    x: float,
    y: float,
    width: float,
    height: float,
    left: float,
    right: float,
    *,
    open_sides: tuple[bool, bool] = (False, False),
) -> str:
    """A rectangle with rounded corners of these radii, as a path; open sides are not drawn."""
    end, bottom = x + width, y + height

    def corner(radius: float, dx: float, dy: float) -> str:
        return f"a{radius:.1f} {radius:.1f} 0 0 1 {dx:.1f} {dy:.1f}" if radius else ""

    upper = f"M{x + left:.1f} {y:.1f}H{end - right:.1f}"
    lower = f"H{x + left:.1f}"
    right_side = f"M{end:.1f} {bottom:.1f}"
    if not open_sides[1]:
        right_side = (
            corner(right, right, right) + f"V{bottom - right:.1f}" + corner(right, -right, right)
        )
    left_side = ""
    if not open_sides[0]:
        left_side = corner(left, -left, -left) + f"V{y + left:.1f}" + corner(left, left, -left)
        left_side += "" if any(open_sides) else "Z"
    return upper + right_side + lower + left_side
