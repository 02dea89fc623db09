"""Words as in the Penn Treebank: punctuation and English clitics split off, hyphens kept.

Only token boundaries follow the Treebank; no character is rewritten.
"""

from __future__ import annotations

import re

from innermost.text.abbreviations import is_abbreviation
from innermost.text.align import Offsets

_APART = r"\[\](){}<>,;:?!\"“”„«»…@#$%&*`—–" + "،؛؟۔।॥։።፣、。！？，；：（）「」『』《》【】"
_CHUNK = re.compile(
    r"\.{2,}|--+"
    # The second alternative: the comma of 1,000 and the colon of 8:35.
    rf"|(?:(?!--|\.\.)[^\s{_APART}]|(?<=\d)[,:](?=\d))+"
    rf"|([{_APART}])\1*"
)
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m)|['’])$", re.IGNORECASE)
_CLOSING = frozenset("\"'”’»)]}")


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``, a whole sentence."""
    tokens: list[Offsets] = []
    visible_end = start + len(text[start:end].rstrip())
    for match in _CHUNK.finditer(text, start, end):
        first, last = match.span()
        word = match[0]
        if word[-1] == "." or "'" in word or "’" in word or word[0] == "‘":
            tokens += _refined(text, first, last, visible_end)
        else:
            tokens.append((first, last))
    return tokens


def _refined(text: str, first: int, last: int, sentence_end: int) -> list[Offsets]:
    """Split a word with apostrophes or a final period."""
    before: list[Offsets] = []
    after: list[Offsets] = []
    while last - first > 1 and text[first] in "'‘’" and not _CLITIC.fullmatch(text, first, last):
        before.append((first, first + 1))
        first += 1
    if last - first > 1 and text[last - 1] == "." and _ends(text, first, last, sentence_end):
        after.append((last - 1, last))
        last -= 1
    while (found := _CLITIC.search(text, max(first, last - 3), last)) and found.start() > first:
        after.append((found.start(), last))
        last = found.start()
    return [*before, (first, last), *reversed(after)]


def _ends(text: str, first: int, last: int, sentence_end: int) -> bool:
    """Whether a word's period ends the sentence rather than belonging to the word."""
    if is_abbreviation(text[first : last - 1]) or text[first] == ".":
        return False
    return last >= sentence_end or text[last] in _CLOSING
