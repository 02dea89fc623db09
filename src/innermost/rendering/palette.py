"""A colour for each type, the same in all documents of a model."""

from __future__ import annotations

from collections.abc import Sequence

_TERMINAL = (
    *("cyan", "magenta", "yellow", "green", "red", "blue"),
    *("bright_cyan", "bright_magenta", "bright_yellow", "bright_green", "bright_blue"),
)
_GOLDEN_ANGLE = 137.508
_FIRST_HUE = 200


def terminal_colour(label: str, types: Sequence[str]) -> str:
    return _TERMINAL[_place(label, types) % len(_TERMINAL)]


def hue(label: str, types: Sequence[str]) -> int:
    """An angle on the circle of colours; neighbours among the types lie far apart."""
    return round(_FIRST_HUE + _place(label, types) * _GOLDEN_ANGLE) % 360


def _place(label: str, types: Sequence[str]) -> int:
    return types.index(label) if label in types else len(types)
