"""Numbers with nouns, in messages."""

from __future__ import annotations


def count(number: int, one: str, several: str | None = None) -> str:
    """``1 entity``, ``2 entities``; without ``several``, an s is added."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
