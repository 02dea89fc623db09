"""Offsets in the units of other programming languages.

A position is between two code points, so it exists in every unit; cutting the encoded ``text`` at a
converted position yields whole characters. Nothing is normalized.
"""

from __future__ import annotations

import numpy as np

from innermost.arrays import Ints

# A code point above one of these takes one more unit.
_STEPS = {"codepoint": (), "utf16": (0xFFFF,), "byte": (0x7F, 0x7FF, 0xFFFF)}


def unit_positions(text: str, unit: str) -> Ints | None:
    """For each code point offset in ``text``, the offset in ``unit``; None if they are equal."""
    steps = _STEPS[unit]
    if not steps or text.isascii():
        return None
    points = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    widths = np.ones(len(points) + 1, dtype=np.int64)
    widths[0] = 0
    for step in steps:
        widths[1:] += points > step
    return np.cumsum(widths)
