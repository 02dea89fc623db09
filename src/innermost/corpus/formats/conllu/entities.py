r"""The brackets of ``Entity=`` in the column MISC, as CorefUD and GUM write them.

``(e1-person-1`` opens a mention, ``e1)`` closes it, ``(e1-person-1)`` is a mention of one word, and
several can follow one another. A comment names the parts between hyphens:
``# global.Entity = eid-etype-head-other``. Without it, the type and the name of the entity are
recognized by their form: ``(person-1``, ``(1-person``, ``(e1-person``. The pieces of a
discontinuous mention are numbered, ``(e1[1/2]-person``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import unquote

from innermost.corpus.context import Context
from innermost.corpus.shared.discontinuous import fill_gaps_or_lose
from innermost.nest import Span

UNTYPED = "mention"
"""The label of mentions without a type."""

_BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]*)\)")
_PIECE = re.compile(r"(.*)\[(\d{1,3})/(\d{1,3})\]")
_NUMBER = re.compile(r"[a-z]{0,3}\d+", re.IGNORECASE)
_IDS = ("eid", "GRP")
_TYPE = "etype"


@dataclass(frozen=True, slots=True)
class Fields:
    """The positions of an entity's name and type among the parts of a bracket."""

    id: int
    type: int | None


def fields_of_header(names: Sequence[str]) -> Fields:
    ids = [index for index, name in enumerate(names) if name in _IDS]
    return Fields(ids[0] if ids else 0, names.index(_TYPE) if _TYPE in names else None)


@dataclass(slots=True)
class _Mention:
    id: str
    label: str
    start: int
    total: int
    """The number of its pieces."""


@dataclass(slots=True)
class Mentions:
    """The mentions of one sentence, collected word by word."""

    fields: Fields | None
    spans: list[Span] = field(default_factory=list)
    _open: list[_Mention] = field(default_factory=list)
    _pieces: dict[tuple[str, str, int], list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, value: str, word: int, context: Context) -> None:
        """Read the ``Entity=`` value of a word."""
        position = 0
        for bracket in _BRACKET.finditer(value):
            if bracket.start() != position:
                break
            position = bracket.end()
            opened, is_single, closed = bracket.groups()
            if opened:
                self._open.append(self._opened(opened, word))
                if is_single:
                    self._close(len(self._open) - 1, word)
            else:
                self._close(self._find(closed, context), word)
        if position != len(value):
            raise context.wrong(
                f"not a list of brackets: Entity={value[:60]}",
                hint="a mention opens with (e1-person and closes with e1)",
            )

    def finish(self, context: Context) -> list[Span]:
        """All mentions; discontinuous ones are reported."""
        if self._open:
            raise context.wrong(f"the mention {self._open[-1].id} is not closed in its sentence")
        for (id, label, _), pieces in self._pieces.items():
            pieces.sort()
            whole = Span(pieces[0][0], pieces[-1][1], label)
            detail = f"{label} {id}: {', '.join(f'[{a}, {b})' for a, b in pieces)}"
            is_continuous = all(a[1] == b[0] for a, b in pairwise(pieces))
            if is_continuous or fill_gaps_or_lose(detail, context):
                self.spans.append(whole)
        return sorted(self.spans, key=lambda span: (span.start, -span.end, span.label))

    def _opened(self, content: str, word: int) -> _Mention:
        parts = content.split("-")
        fields = self.fields or _guessed(parts)
        id = parts[fields.id] if fields.id < len(parts) else ""
        total = 1
        if piece := _PIECE.fullmatch(id):
            id, total = piece[1], int(piece[3])
        label = parts[fields.type] if fields.type is not None and fields.type < len(parts) else ""
        return _Mention(id, unquote(label) or UNTYPED, word, total)

    def _find(self, closed: str, context: Context) -> int:
        """The mention that a closing bracket belongs to: the last one opened with that name."""
        name = _PIECE.sub(r"\1", closed)
        names = {name, *name.split("-")}
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index].id in names:
                return index
        raise context.wrong(f"the bracket {closed}) closes no open mention")

    def _close(self, index: int, word: int) -> None:
        mention = self._open.pop(index)
        if mention.total == 1:
            self.spans.append(Span(mention.start, word + 1, mention.label))
        else:
            key = mention.id, mention.label, mention.total
            self._pieces.setdefault(key, []).append((mention.start, word + 1))


def _guessed(parts: Sequence[str]) -> Fields:
    """The fields of a bracket without a header."""
    if len(parts) == 1:
        return Fields(0, None) if _NUMBER.fullmatch(parts[0]) else Fields(0, 0)
    is_name_first = _NUMBER.fullmatch(_PIECE.sub(r"\1", parts[0])) is not None
    return Fields(0, 1) if is_name_first else Fields(1, 0)
