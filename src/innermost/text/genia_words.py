"""Words as in the GENIA corpus, for biomedical text.

Names stay whole with their hyphens, commas and brackets (``NF-kappa``, ``1,25(OH)2D3``,
``CD4(+)``); brackets around words, punctuation after them and ``'s`` are tokens. The corpus itself
splits words wherever a term begins or ends. Raw text does not show where, so words are split where
terms often begin or end: ``CD28`` and ``-mediated``, ``anti-`` and ``CD3``, ``p50``, ``/`` and
``p65`` (but ``C/EBP``).
"""

from __future__ import annotations

import re
from itertools import pairwise

from innermost.text.abbreviations import is_abbreviation
from innermost.text.align import Offsets

_SAID_OF_A_TERM = re.compile(r"-(?:[a-z]{3,}(?:ed|ing|ent|ive|ible|ant|ic)|like|bound)$|\(s\)$")
_LONGEST_SUFFIX = 24
_ANTI = re.compile(r"[Aa]nti-(?=[A-Z])")
_BETWEEN_TERMS = re.compile(r"(?<=\w\w)/(?=\w\w)")
_CHUNK = re.compile(r"\S+")
_BEFORE = frozenset("\"'“‘<>=~")
_AFTER = frozenset(',;:?!%"”=<>')
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())
_SIGN = re.compile(r"\([+\-/]+\)")
_SUFFIX = re.compile(r"(?<=\w)['’]s$|(?<=[^\W\d_]{2})['’]$")
_OPERATOR = re.compile(r"-->|(?<=\w)[<>=](?=[\w.])")


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``, a whole sentence."""
    tokens: list[Offsets] = []
    visible_end = start + len(text[start:end].rstrip())
    for match in _CHUNK.finditer(text, start, end):
        chunk = match[0]
        if len(chunk) == 1 or (chunk.isalpha() and chunk not in ("cannot", "Cannot")):
            tokens.append(match.span())
        else:
            tokens += _peeled(chunk, match.start(), match.end() == visible_end)
    return tokens


def _peeled(chunk: str, offset: int, is_last: bool) -> list[Offsets]:
    """A chunk without whitespace, with punctuation split off at both ends."""
    partner = _partners(chunk)
    first, last = 0, len(chunk)
    before: list[Offsets] = []
    after: list[Offsets] = []
    while first < last - 1 and not _is_sign(chunk, first, last, partner):
        if chunk[first] in _BEFORE or _opens_around(chunk, first, last, partner):
            before.append((first, first + 1))
            first += 1
        elif _comes_off_the_end(chunk, first, last, partner, is_last):
            last -= 1
            after.append((last, last + 1))
        elif found := _SUFFIX.search(chunk, max(first, last - 4), last):
            after.append((found.start(), last))
            last = found.start()
        else:
            break
    tokens = [*before, *_inner(chunk, first, last, partner), *reversed(after)]
    return [(offset + start, offset + end) for start, end in tokens]


def _is_sign(chunk: str, first: int, last: int, partner: dict[int, int]) -> bool:
    """``(+)`` and the like; looked at only between partners, which makes it once for each."""
    return partner.get(first) == last - 1 and _SIGN.fullmatch(chunk, first, last) is not None


def _inner(chunk: str, first: int, last: int, partner: dict[int, int]) -> list[Offsets]:
    """Split the rest of a chunk, which is usually one word."""
    closing = partner.get(first, -1)
    if closing - first > 2 and closing < last - 1 and chunk[closing + 1] in "-/":  # (NF)-kappa
        around = [(first, first + 1), (first + 1, closing), (closing, closing + 1)]
        return around + _parts(chunk, closing + 1, last)
    return _parts(chunk, first, last)


def _parts(chunk: str, first: int, last: int) -> list[Offsets]:
    cuts = {first, last}
    if chunk[first:last] in ("cannot", "Cannot"):
        cuts.add(first + 3)
    for inside in (_OPERATOR, _BETWEEN_TERMS):
        for match in inside.finditer(chunk, first, last):
            cuts.update(match.span())
    if prefix := _ANTI.match(chunk, first, last):
        cuts.add(prefix.end())
    if suffix := _SAID_OF_A_TERM.search(chunk, max(first, last - _LONGEST_SUFFIX), last):
        cuts.add(suffix.start())
    return list(pairwise(sorted(cuts)))


def _comes_off_the_end(
    chunk: str, first: int, last: int, partner: dict[int, int], is_last: bool
) -> bool:
    character = chunk[last - 1]
    if character in _AFTER:
        return True
    if character in _CLOSING:
        # A bracket whose partner is inside belongs to the word, ``gamma(c)``.
        return partner.get(last - 1, -1) <= first
    if character == ".":
        is_inside = last == len(chunk) and not is_last
        word = chunk[max(first, last - _LONGEST_SUFFIX) : last - 1]
        return not is_inside and not is_abbreviation(word)
    return False


def _opens_around(chunk: str, first: int, last: int, partner: dict[int, int]) -> bool:
    return chunk[first] in _PAIRS and partner.get(first, last) >= last


def _partners(chunk: str) -> dict[int, int]:
    """The position of each bracket's partner in the chunk."""
    partner: dict[int, int] = {}
    waiting: list[int] = []
    for index, character in enumerate(chunk):
        if character in _PAIRS:
            waiting.append(index)
        elif character in _CLOSING and waiting and _PAIRS[chunk[waiting[-1]]] == character:
            partner[index] = waiting.pop()
            partner[partner[index]] = index
    return partner
