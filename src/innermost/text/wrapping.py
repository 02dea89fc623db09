"""Detect text whose lines were wrapped to fit a page, as opposed to one unit per line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

_ENOUGH = 8
"""Line breaks inside paragraphs that are needed to decide."""
_NARROWEST, _WIDEST = 30, 140
_FULL_LINES = 0.7
_BROKEN_SENTENCES = 0.3
_ENDS = ".!?:;\"'”’»)]"


def is_hard_wrapped(lines: Iterable[str]) -> bool:
    """Whether sentences continue across line breaks because the lines have a maximum width.

    Most lines of a paragraph are then so long that the next word would not have fit, and many end
    in the middle of a sentence.
    """
    shown = [line.strip() for line in lines]
    inside = [(line, after) for line, after in pairwise(shown) if line and after]
    if len(inside) < _ENOUGH:
        return False
    lengths = sorted(len(line) for line, _ in inside)
    width = lengths[len(lengths) * 19 // 20]
    if not _NARROWEST <= width <= _WIDEST:
        return False
    full = sum(len(line) + 1 + len(after.split()[0]) > width - 2 for line, after in inside)
    broken = sum(line[-1] not in _ENDS and after[0].islower() for line, after in inside)
    return full >= _FULL_LINES * len(inside) and broken >= _BROKEN_SENTENCES * len(inside)
