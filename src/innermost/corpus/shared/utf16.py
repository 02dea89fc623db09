"""Offsets that count UTF-16 units, as JavaScript and Java do: a character beyond U+FFFF is two."""

from __future__ import annotations

from itertools import accumulate


def units_of(text: str) -> int:
    """The length of ``text`` in UTF-16 units."""
    return len(text) + sum(map(_is_wide, text))


def characters_of(text: str) -> dict[int, int]:
    """The index of the character that begins at each offset, and the end of the text."""
    units = accumulate((1 + _is_wide(character) for character in text), initial=0)
    return {unit: index for index, unit in enumerate(units)}


def has_wide(text: str) -> bool:
    """Whether counting characters and counting units differ."""
    return any(map(_is_wide, text))


def _is_wide(character: str) -> bool:
    return character > "\uffff"
