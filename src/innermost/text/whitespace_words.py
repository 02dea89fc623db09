"""Words separated by whitespace, for text that is already tokenized."""

from __future__ import annotations

import re

from innermost.text.align import Offsets

_CHUNK = re.compile(r"\S+")


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``."""
    return [match.span() for match in _CHUNK.finditer(text, start, end)]
