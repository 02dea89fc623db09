"""Where sentences begin."""

from __future__ import annotations

import re

_BREAK = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def sentence_starts(text: str) -> list[int]:
    """The offsets at which sentences begin; the first is 0."""
    return [0, *(match.end() for match in _BREAK.finditer(text))]
