"""The type that was probably meant by another one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def similar(label: str, types: Iterable[str], least: float = 0.6) -> str | None:
    """The most similar type, whatever its case, of at least this similarity (0 to 1)."""
    by_lower = {name.lower(): name for name in types}
    close = get_close_matches(label.lower(), by_lower, n=1, cutoff=least)
    return by_lower[close[0]] if close else None
