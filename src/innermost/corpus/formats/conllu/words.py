"""Turn the words of a CoNLL-U sentence into tokens of its text.

A multiword token (``3-4  don't``) becomes one token per word if the words spell it out
(``do`` + ``n't``); otherwise it is one token, to which all its words belong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from innermost.corpus.context import Context

_ID = re.compile(r"(\d{1,9})(?:([-.])(\d{1,9}))?")
_SPACES = {"\\s": " ", "\\t": "\t", "\\n": "\n", "\\r": "\r", "\\p": "|", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\.")


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a word, a multiword token or an empty node."""

    line: int
    first: int
    last: int | None
    """The last word of a multiword token."""
    is_empty: bool
    form: str
    misc: Mapping[str, str]


@dataclass(slots=True)
class Tokens:
    forms: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=lambda: [""])
    owner: dict[int, int] = field(default_factory=dict)
    """The token of each word, by word number."""
    is_spaced: bool = True
    """Whether every gap is one space."""


def row(columns: Sequence[str], context: Context) -> Row:
    id = _ID.fullmatch(columns[0]) if columns else None
    if id is None or len(columns) != 10 or not columns[1] or context.line is None:
        raise context.wrong(
            f"expected 10 TAB-separated columns, the first a number: {columns!r}"[:120],
            hint="ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC",
        )
    misc: dict[str, str] = {}
    for item in columns[9].split("|") if columns[9] != "_" else ():
        key, _, value = item.partition("=")
        misc[key] = value
    last = int(id[3]) if id[2] == "-" else None
    return Row(context.line, int(id[1]), last, id[2] == ".", columns[1], misc)


def tokens_of(rows: Sequence[Row], context: Context) -> Tokens:
    tokens = Tokens()
    words = [item for item in rows if item.last is None and not item.is_empty]
    by_number = {word.first: word for word in words}
    if [*by_number] != [*range(1, len(words) + 1)] or not words:
        raise context.wrong("the words are not numbered 1, 2, 3, ...")
    ranges = {item.first: item for item in rows if item.last is not None}
    number = 1
    while number <= len(words):
        whole = ranges.get(number)
        last = whole.last if whole is not None and whole.last is not None else number
        if last < number or last > len(words):
            raise context.wrong(f"the multiword token {number}-{last} has no words")
        parts = [by_number[n].form for n in range(number, last + 1)]
        surface = whole.form if whole else parts[0]
        forms = parts if "".join(parts) == surface else [surface]
        for offset in range(last - number + 1):
            tokens.owner[number + offset] = len(tokens.forms) + min(offset, len(forms) - 1)
        tokens.forms += forms
        tokens.gaps += [""] * (len(forms) - 1)
        _add_gap(tokens, (whole or by_number[number]).misc)
        number = last + 1
    return tokens


def _add_gap(tokens: Tokens, misc: Mapping[str, str]) -> None:
    gap = "" if misc.get("SpaceAfter") == "No" else " "
    if "SpacesAfter" in misc:
        gap = _ESCAPE.sub(lambda match: _SPACES.get(match[0], match[0]), misc["SpacesAfter"])
    tokens.gaps.append(gap)


def spaces_of(gap: str) -> str | None:
    """The MISC entry for the gap after a token; None if it is one space."""
    if gap in ("", " "):
        return None if gap else "SpaceAfter=No"
    names = {character: escape for escape, character in _SPACES.items()}
    return "SpacesAfter=" + "".join(names.get(character, character) for character in gap)
