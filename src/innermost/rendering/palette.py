"""A color and a pattern for each type, the same in all documents of a model.

The fills are Paul Tol's light scheme and a violet: black text is legible on all of them, and they
are distinguishable with any kind of color blindness. ``entities.css`` has the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Color(NamedTuple):
    fill: str
    edge: str
    """Darker: for lines on white."""
    tint: str
    """Lighter: for the background of text."""


COLORS = (
    Color("#77aadd", "#2f6da8", "#e8f1fa"),
    Color("#ee8866", "#b5532f", "#fdeee8"),
    Color("#44bb99", "#1c7a61", "#e2f5ef"),
    Color("#eedd88", "#8a7410", "#fbf7e1"),
    Color("#ffaabb", "#b8436c", "#ffedf1"),
    Color("#bbcc33", "#69750a", "#f4f7dc"),
    Color("#99ddff", "#1f7ba3", "#e6f6ff"),
    Color("#a07ce8", "#6a42bd", "#f1ebfc"),
)
PATTERNS = 5
"""Plain, and stripes in four directions."""

_TERMINAL = (
    *("cyan", "magenta", "yellow", "green", "red", "blue"),
    *("bright_cyan", "bright_magenta", "bright_yellow", "bright_green", "bright_blue"),
)


class Look(NamedTuple):
    color: int
    pattern: int

    @property
    def classes(self) -> str:
        """The classes of ``entities.css``."""
        return f"c{self.color} p{self.pattern}"


def look(label: str, types: Sequence[str]) -> Look:
    """The look of a type; the first 40 are all different."""
    place = _place(label, types)
    return Look(place % len(COLORS), place % PATTERNS)


def terminal_color(label: str, types: Sequence[str]) -> str:
    return _TERMINAL[_place(label, types) % len(_TERMINAL)]


def _place(label: str, types: Sequence[str]) -> int:
    return types.index(label) if label in types else len(types)
