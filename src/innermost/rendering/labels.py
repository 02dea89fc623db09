"""Labels of boxes: text images in the background of the box, repeated on every line.

As backgrounds they are not part of the text, so copied text contains no labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote
from xml.sax.saxutils import escape

from innermost.rendering.widths import text_width

LABEL_SIZE = 0.66
"""As a fraction of the text size."""
LINES_LABEL = 0.7
"""The size of labels below underlines, relative to those in boxes."""
_BOLD = 1.07
_SIDES = 0.84
"""Total padding on both sides, in ems of the text; half of it may show a pattern."""
_LONGEST = 20


def one_line(label: str) -> str:
    """A label without line breaks, invisible characters and terminal control codes."""
    return " ".join("".join(c if c.isprintable() else " " for c in label).split())


def shown(label: str) -> str:
    """A label on one line and of bounded length."""
    line = one_line(label)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


@lru_cache(maxsize=1024)
def words_width(label: str) -> float:
    """The width of the label itself, in ems of the text."""
    return text_width(shown(label)) * LABEL_SIZE * _BOLD


def label_width(label: str) -> float:
    """The width of the part of the box with the label, in ems of the text."""
    return round(words_width(label) + _SIDES, 2)


def label_rules(labels: Iterable[str]) -> str:
    """CSS that gives each type's boxes their label."""
    return "".join(
        f".innermost-text mark[data-type={css_string(label)}]"
        f"{{--w:{label_width(label):g}em;--label:url({css_string(_picture(label))})}}\n"
        for label in dict.fromkeys(labels)
    )


def _picture(label: str) -> str:
    """A data URL of an SVG image, 100 units per em."""
    width, words = 100 * label_width(label), 100 * words_width(label)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="100">'
        f'<text x="{width / 2:g}" y="73" font-size="{100 * LABEL_SIZE:g}" font-weight="600" '
        f'font-family="system-ui,sans-serif" text-anchor="middle" textLength="{words:.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(shown(label))}</text></svg>'
    )
    return f"data:image/svg+xml,{quote(svg, safe=' /:=,')}"


def css_string(text: str) -> str:
    """A CSS string, safe inside a ``style`` element."""
    return '"' + "".join(c if _plain(c) else f"\\{ord(c):x} " for c in text) + '"'


def _plain(character: str) -> bool:
    return character.isprintable() and character not in '"\\<>&'
