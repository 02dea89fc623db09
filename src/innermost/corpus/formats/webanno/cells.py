r"""How WebAnno TSV writes text and values: escapes, stacked values, numbered annotations."""

from __future__ import annotations

import re
from typing import NamedTuple

NOTHING = "_"
"""A cell without an annotation."""
WITHOUT_VALUE = "*"
"""An annotation whose feature has no value."""

_TO_ESCAPE = re.compile(r"[\\\[\]|_;*]|->")
_TEXT_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_ESCAPED = re.compile(r"\\(->|.)")
_BORDER = re.compile(r"\\.|\|")
_NUMBERED = re.compile(r"(.*)\[([0-9]+)\]", re.DOTALL)
_MEANINGS = {"n": "\n", "r": "\r", "t": "\t"}


class Value(NamedTuple):
    label: str
    number: str | None
    """Cells with the same number belong to one annotation."""
    is_empty: bool


def values(cell: str) -> list[Value]:
    """The annotations of a cell, one or several stacked."""
    return [] if cell in (NOTHING, "") else [_value(part) for part in _stacked(cell)]


def escaped(label: str) -> str:
    return _TO_ESCAPE.sub(lambda match: "\\" + match[0], label)


def escaped_text(text: str) -> str:
    return text.translate(_TEXT_ESCAPES)


def unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _MEANINGS.get(match[1], match[1]), text)


def _value(part: str) -> Value:
    match = _NUMBERED.fullmatch(part)
    written, number = (match[1], match[2]) if match else (part, None)
    return Value(unescaped(written), number, written == WITHOUT_VALUE)


def _stacked(cell: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for border in _BORDER.finditer(cell):
        if border[0] == "|":
            parts.append(cell[start : border.start()])
            start = border.end()
    return [*parts, cell[start:]]
