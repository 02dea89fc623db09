"""The lines of blocks: words, part-of-speech tags and entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import NamedTuple

from innermost.corpus.context import Context
from innermost.errors import DataError
from innermost.files.source import Source

_HEAD = 1 << 15
_SPACES = " \t\r"
_MOST_LINES = 3
_NUMBER = "[0-9]{1,9}"
_ENTITY = re.compile(rf"({_NUMBER},{_NUMBER}(?:,{_NUMBER},{_NUMBER})*)[ \t]+(\S.*)", re.DOTALL)
_NUMBERS = re.compile(r"-?[0-9]+ *,")
_SHOWN = 60

Row = tuple[int, str]
"""The number of a line and its text, without spaces at its ends."""


class Entity(NamedTuple):
    """Pairs of start and end as in the file, and a label."""

    pairs: list[tuple[int, int]]
    label: str

    def __str__(self) -> str:
        return f"{','.join(f'{start},{end}' for start, end in self.pairs)} {self.label}"


@dataclass(slots=True)
class Block:
    line: int
    words: list[str]
    tags: list[str] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    line_of_entities: int | None = None


def split(line: str) -> list[str]:
    """The words of a line, which may contain other spaces, such as no-break spaces."""
    return re.split(r"[ \t]+", line)


def begins_like_entities(line: str) -> bool:
    return _NUMBERS.match(line) is not None


def blocks(source: Source, context: Context) -> Iterator[Block]:
    """The blocks of a file; those that are not of this layout are recorded as bad."""
    before: Sequence[Row] = []
    for rows in _runs(source.text_lines()):
        try:
            if _are_cut_off(before, rows):
                raise context.wrong(
                    f"a blank line separates entities from their sentence: {rows[0][1][:_SHOWN]!r}",
                    line=rows[0][0],
                    hint="a blank line ends a sentence; after a sentence without entities there "
                    "are two",
                )
            yield _block(rows, context)
        except DataError as error:
            context.bad(error)
        before = rows


def are_blocks(source: Source) -> bool:
    """Whether all that the head has are sentences in blocks, some of them with entities."""
    head = source.head(_HEAD)
    lines = head.decode("utf-8-sig", errors="replace").split("\n")
    runs = list(_runs(enumerate(lines)))
    if len(head) == _HEAD:
        runs = runs[:-1]  # it may be incomplete
    with_entities = list(filter(_has_entities, runs))
    return (
        sum(map(_fit_words, with_entities)) > len(with_entities) / 2
        and all(map(_is_sentence, runs))
        and all(
            _has_entities(rows) or _lines_between(rows, after) > 1 for rows, after in pairwise(runs)
        )
    )


def _runs(lines: Iterable[Row]) -> Iterator[list[Row]]:
    """The lines between blank ones."""
    stripped = ((number, line.strip(_SPACES)) for number, line in lines)
    for is_blank, rows in groupby(stripped, key=lambda row: not row[1]):
        if not is_blank:
            yield list(rows)


def _lines_between(rows: Sequence[Row], after: Sequence[Row]) -> int:
    return after[0][0] - rows[-1][0] - 1


def _has_entities(rows: Sequence[Row]) -> bool:
    return len(rows) > 1 and _are_entities(rows[-1][1])


def _are_entities(line: str) -> bool:
    return all(_ENTITY.fullmatch(piece.strip(_SPACES)) for piece in line.split("|"))


def _fit_words(rows: Sequence[Row]) -> bool:
    """Whether no number of the entities is larger than the number of words."""
    numbers = [
        int(number) for piece in rows[-1][1].split("|") for number in piece.split()[0].split(",")
    ]
    return max(numbers) <= len(split(rows[0][1]))


def _is_sentence(rows: Sequence[Row]) -> bool:
    lines = [line for _, line in rows]
    if _has_entities(rows):
        lines.pop()
    return len(lines) < _MOST_LINES and len({len(split(line)) for line in lines}) == 1


def _are_cut_off(before: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Whether ``rows`` are the entities of the sentence before.

    A sentence may look like entities, too, but two blank lines follow one without entities.
    """
    return (
        len(rows) == 1
        and bool(before)
        and not _has_entities(before)
        and _lines_between(before, rows) == 1
        and _are_entities(rows[0][1])
    )


def _block(rows: Sequence[Row], context: Context) -> Block:
    (line, sentence), *others = rows
    if len(rows) > _MOST_LINES:
        raise context.wrong(
            f"{len(rows)} lines without a blank line",
            line=line,
            hint="a sentence is a line of words, one of part-of-speech tags or none, and one of "
            "entities",
        )
    block = Block(line, split(sentence))
    if others and (len(rows) == _MOST_LINES or begins_like_entities(others[-1][1])):
        block.line_of_entities, text = others.pop()
        place = context.at(block.line_of_entities)
        block.entities = [_entity(piece.strip(_SPACES), place) for piece in text.split("|")]
    for number, text in others:
        block.tags = split(text)
        if len(block.tags) != len(block.words):
            raise context.wrong(
                f"{len(block.words)} words, but {len(block.tags)} part-of-speech tags: "
                f"{text[:_SHOWN]!r}",
                line=number,
                hint="entities are START,END LABEL, separated by |",
            )
    return block


def _entity(piece: str, context: Context) -> Entity:
    match = _ENTITY.fullmatch(piece)
    if match is None:
        raise context.wrong(
            f"{piece[:_SHOWN]!r} is not an entity",
            hint="an entity is START,END LABEL; several are separated by |",
        )
    numbers = [int(number) for number in match[1].split(",")]
    return Entity(list(zip(numbers[::2], numbers[1::2], strict=True)), match[2])
