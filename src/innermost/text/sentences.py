"""Sentence splitting: rules for prose, tested on abstracts and novels.

A break is possible only at whitespace, or after the full stop of a script without spaces, so words
are never cut. A blank line always breaks. A single line break does after a short line, such as a
headline, that is less than half as wide as the paragraph and was therefore not wrapped.
"""

from __future__ import annotations

import re

from innermost.text.abbreviations import (
    BEFORE_NUMBERS,
    INITIALS,
    LETTERED,
    NEVER_LAST,
    ORDINALS,
    SELDOM_LAST,
    word_set,
)

_CLOSERS = "\"')]}”’»›」』）"
_OPENERS = "\"'([{“‘«‹¿¡"
_SPACELESS_STOPS = "。！？｡။។"
_STOPS = f"!?؟۔।॥։።፧\u037e{_SPACELESS_STOPS}"
"""What always ends a sentence: also in Arabic, Urdu, Hindi, Armenian, Amharic, Burmese, Khmer."""
_GREEK_QUESTION = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]{2};")
"""Two letters: in *TNF-α; then* the semicolon is none."""

# Whitespace after something that may end a sentence, or with a line break in it; matched only from
# the start of each run of whitespace, so that the search takes linear time.
_CANDIDATE = re.compile(
    rf"(?<=[.…;{_STOPS}{re.escape(_CLOSERS)}])\s+"
    r"|(?<!\s)[^\S\n]*\n\s*"
    rf"|(?:(?<=[{_SPACELESS_STOPS}])|(?<=[{_SPACELESS_STOPS}][」』）”’]))"
    rf"(?![{_SPACELESS_STOPS}」』）”’\s])"
)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|[\f\u2029]")
# How far to look for the words around a period: longer than any abbreviation.
_REACH = 64
_LINE_ENDS = _CLOSERS + ":"

_STARTERS = word_set(
    """the this these those that there they then thus we it its in on at as a an our to for from
    with by both however here he she his her i you your my if when while although though because
    since moreover furthermore finally also such some all no not one two three each neither either
    after before during under using and but so nor or what who why how where which is are was were
    do does did"""
)
_DASH = re.compile(r"--|—|–")
_ENUMERATOR = re.compile(r"\((?:[ivx]+|[a-z]|\d+)\)\s")
_WORD = re.compile(r"[^\W\d_]+")
_PIECE = re.compile(r"\S+")
_LETTER = re.compile(r"[^\W\d_]\.\s")


def sentence_starts(text: str) -> list[int]:
    """The offsets at which sentences begin, in order; the first is 0."""
    starts = [0]
    paragraphs = _Paragraphs(text)
    for match in _CANDIDATE.finditer(text):
        start, end = match.span()
        if end < len(text) and (
            _BLANK_LINE.search(text, start, end)
            or _breaks(text, start, end)
            or ("\n" in match[0] and _ends_early(text, start, end, paragraphs))
        ):
            starts.append(end)
    return starts


class _Paragraphs:
    """The width of the paragraphs of a text, asked for in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = self._width = 0

    def width_at(self, position: int) -> int:
        """The length of the longest line of the paragraph."""
        while self._end <= position:
            blank = _BLANK_LINE.search(self._text, self._end + 1)
            begin, self._end = self._end, blank.start() if blank else len(self._text) + 1
            self._width = max(map(len, self._text[begin : self._end].split("\n")))
        return self._width


def _ends_early(text: str, start: int, end: int, paragraphs: _Paragraphs) -> bool:
    """Whether the line before a line break is short, though the next word would have fit."""
    if not start or not (text[start - 1].isalnum() or text[start - 1] in _LINE_ENDS):
        return False
    if _first_letter(text, end).islower():
        return False
    line = start - (text.rfind("\n", 0, start) + 1)
    word = _PIECE.match(text, end, end + _REACH)
    needed = line + 1 + len(word[0] if word else "")
    return 2 * needed <= paragraphs.width_at(start)


def _breaks(text: str, start: int, end: int) -> bool:
    """Whether a sentence ends before the whitespace ``text[start:end]``."""
    stop = start - 1
    while stop >= max(0, start - 8) and text[stop] in _CLOSERS:
        stop -= 1
    mark = text[stop : stop + 1] if stop >= 0 else ""
    quoted = stop < start - 1
    if mark and mark in _STOPS:
        # "What?" he said: one sentence. How odd! to leave now: two.
        return not (quoted and _first_letter(text, end).islower())
    if mark == "…" or _GREEK_QUESTION.match(text, max(stop - 2, 0)):
        return not _first_letter(text, end).islower()
    if mark != ".":
        # MEDLINE sets the title of a translated article in brackets, on a separate line.
        return text[start - 1 : start] == "]" and "\n" in text[start:end] and text[end].isupper()
    if not _may_begin(text, end):
        return False
    if text[stop - 1 : stop] == ".":
        return True
    return quoted or not _continues(text, stop, end)


def _first_letter(text: str, position: int) -> str:
    """The first character at or after ``position`` that is not an opening quote or bracket."""
    for character in text[position : position + 8]:
        if character not in _OPENERS and not character.isspace():
            return character
    return ""


def _may_begin(text: str, position: int) -> bool:
    """Whether a sentence can begin here: not with a lowercase word, except ``p53``, ``cAMP``."""
    if not _first_letter(text, position).islower() or _ENUMERATOR.match(text, position):
        return True
    match = _PIECE.match(text, position, position + _REACH)
    word = match[0].rstrip(".,;:)") if match else ""
    return any(character.isdigit() or character.isupper() for character in word)


def _continues(text: str, period: int, next_start: int) -> bool:
    """Whether the word before ``period`` is an abbreviation, by its form and context."""
    before = text[max(0, period - _REACH) : period].split()
    word = _DASH.split(before[-1])[-1].lstrip(_OPENERS) if before else ""
    lowered = word.lower()
    if lowered in NEVER_LAST:
        return True
    following = _WORD.match(text, next_start)
    next_word = following[0] if following else ""
    letters = INITIALS.fullmatch(word) is not None
    if lowered in BEFORE_NUMBERS and (text[next_start].isdigit() or not letters):
        return text[next_start].isdigit()
    if lowered in SELDOM_LAST:
        return next_word.lower() not in _STARTERS
    if word.isdigit():
        counted = len(word) <= 2 and next_word.lower() in ORDINALS
        return counted or _counts(text, period - len(word))
    if not letters:
        return False
    if _LETTER.match(text, next_start):  # J. S. Bach, z. B.
        return True
    follows = len(before) > 1 and _LETTER.fullmatch(f"{before[-2]} ") is not None
    is_initial = follows or (word.isupper() and _names(text, period - len(word)))
    return is_initial and next_word.lower() not in _STARTERS


def _counts(text: str, position: int) -> bool:
    """Whether a number at ``position`` is a list number: ``1. This. 2. That.``"""
    before = text[max(0, position - 4) : position].rstrip()
    return not before or before[-1] in ".!?:;"


def _names(text: str, position: int) -> bool:
    """Whether a capital letter at ``position`` is an initial: not after *vitamin* or *NF-kappa*.

    Other scripts have no such names of things.
    """
    if not text[position].isascii():
        return True
    before = text[max(0, position - _REACH) : position].split()
    if not before:
        return True
    word = before[-1].lstrip(_OPENERS)
    if "-" in word and word[-1:].islower():
        return False
    return LETTERED.fullmatch(word) is None
