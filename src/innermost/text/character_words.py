"""Every visible character with its marks by itself: for data that is annotated by character, and
for scripts without spaces."""

from __future__ import annotations

import re
from functools import cache

from innermost.text.align import Offsets
from innermost.text.unicode_words import extending


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The characters of ``text[start:end]``."""
    return [match.span() for match in _pattern().finditer(text, start, end)]


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"\S{extending()}*")
