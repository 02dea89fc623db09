"""How a terminal shows a character, and in how many cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import get_character_cell_size

_JOINERS = "\u200c\u200d"


def visible(line: str) -> Sequence[str]:
    """What is printed for each character: itself, a space, or nothing.

    Control characters could do anything to the terminal; each becomes a space. Soft hyphens and
    direction marks are dropped; joiners are kept: they hold emoji and letters together.
    """
    return line if line.isascii() and line.isprintable() else [_sign(c) for c in line]


def cells(line: str) -> Sequence[int]:
    """How many cells each character takes."""
    if line.isascii():
        return [1] * len(line)
    sizes = [get_character_cell_size(sign) if (sign := _sign(c)) else 0 for c in line]
    for position in range(1, len(line)):
        # Characters after a joiner, and skin tones, combine with the preceding character.
        if line[position - 1] == "\u200d" or "\U0001f3fb" <= line[position] <= "\U0001f3ff":
            sizes[position] = 0
    return sizes


@lru_cache(maxsize=4096)
def _sign(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp"):
        return " "
    if category == "Cf" and character not in _JOINERS:
        # Arabic number signs are in this category too, but are visible.
        return character if unicodedata.bidirectional(character) in ("AN", "AL") else ""
    return character
