"""Numbers with nouns, in messages."""

from __future__ import annotations


def count(number: int, one: str, several: str | None = None, *, width: int = 0) -> str:
    """``1 entity``, ``2 entities``; without ``several``, an s is added.

    ``width`` is that of the number, and makes columns of equal width.
    """
    several = several or one + "s"
    noun = one if number == 1 else several
    return f"{number:{width},} {noun:<{len(several) if width else 0}}"


def count_of(number: int, missing: int, one: str, several: str | None = None) -> str:
    """``2 of 3 entities``, or ``2 entities`` if none are missing."""
    total = count(number + missing, one, several)
    return f"{number:,} of {total}" if missing else total
