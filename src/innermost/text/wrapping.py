"""Detect text whose lines were wrapped to fit a page, as opposed to one unit per line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise

from innermost.text.abbreviations import word_set

_FEWEST = 2
"""Line breaks inside paragraphs, and of these inside sentences, that are needed to decide."""
_ENOUGH = 8
"""Line breaks from which on they are not few."""
_NARROWEST, _NARROWEST_OF_FEW, _WIDEST = 30, 40, 140
_FULL_LINES = 0.7
_SHORT_PARAGRAPH = 0.6
"""Of the longest line: paragraphs of shorter lines are addresses, signatures and the like."""
_BROKEN_SENTENCES, _BROKEN_SENTENCES_OF_FEW = 0.3, 0.5
_ENDS = ".!?:;\"'”’»)]"
_NEVER_LAST = word_set("a an and as at by for from in of on or our that the their to whose with")
"""Words that end no sentence, and that a name may follow."""


def is_hard_wrapped(lines: Iterable[str]) -> bool:
    """Whether sentences continue across line breaks because the lines have a maximum width.

    Most lines of a paragraph are then so long that the next word would not have fit, and many end
    in the middle of a sentence. A few lines can look like that by chance. Of these, half must end
    in the middle of a sentence, and the last one must end a sentence: the text has punctuation.
    Addresses and signatures do not count among few lines.
    """
    shown = [line.strip() for line in lines]
    if are_few := len(_breaks(shown)) < _ENOUGH:
        shown = _without_short_paragraphs(shown)
    inside = _breaks(shown)
    if len(inside) < _FEWEST or (are_few and not _ends_sentence(shown)):
        return False
    # The last lines of paragraphs can be short, but among few lines, a longer one shows something.
    lengths = sorted(len(line) for line in (shown if are_few else (line for line, _ in inside)))
    width = lengths[len(lengths) * 19 // 20]
    if not (_NARROWEST_OF_FEW if are_few else _NARROWEST) <= width <= _WIDEST:
        return False
    full = sum(len(line) + 1 + len(after.split()[0]) > width - 2 for line, after in inside)
    broken = sum(_continues(line, after) for line, after in inside)
    share = _BROKEN_SENTENCES_OF_FEW if are_few else _BROKEN_SENTENCES
    needed = max(_FEWEST, share * len(inside))
    return full >= _FULL_LINES * len(inside) and broken >= needed


def _breaks(lines: list[str]) -> list[tuple[str, str]]:
    """The lines before and after each line break inside a paragraph."""
    return [(line, after) for line, after in pairwise(lines) if line and after]


def _without_short_paragraphs(lines: list[str]) -> list[str]:
    longest = max(map(len, lines), default=0)
    kept: list[str] = []
    for _, paragraph in groupby(lines, key=bool):
        listed = list(paragraph)
        if max(map(len, listed)) >= _SHORT_PARAGRAPH * longest or not listed[0]:
            kept += listed
    return kept


def _ends_sentence(lines: list[str]) -> bool:
    return next(line for line in reversed(lines) if line)[-1] in _ENDS


def _continues(line: str, after: str) -> bool:
    """Whether a sentence continues in the next line."""
    if line[-1] in _ENDS:
        return False
    return after[0].islower() or line.split()[-1].lower() in _NEVER_LAST
