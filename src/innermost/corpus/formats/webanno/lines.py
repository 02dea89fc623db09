"""A WebAnno TSV file as its layers and the rows of its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from innermost.corpus.context import Context
from innermost.corpus.formats.webanno.cells import unescaped
from innermost.errors import DataError
from innermost.files.source import BOM, Source

_PLACE = re.compile(r"[0-9]+-[0-9]+(\.[0-9]+)?")
_OFFSETS = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


class Column(NamedTuple):
    layer: str
    feature: str
    is_span: bool

    def __str__(self) -> str:
        return f"{self.layer}|{self.feature}"


@dataclass(slots=True)
class Row:
    line: int
    offsets: tuple[int, int]
    text: str
    is_part: bool
    """Whether it is part of the preceding token."""
    cells: list[str]


@dataclass(slots=True)
class Block:
    """The lines of one sentence."""

    id: str | None = None
    text: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    problems: list[DataError] = field(default_factory=list)


@dataclass(slots=True)
class File:
    """One document."""

    columns: list[Column] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def read_file(source: Source, context: Context) -> File:
    """The content of a file; problems of rows are kept with their sentence."""
    file = File()
    file.blocks += _blocks(source, file.columns, context)
    return file


def has_header(source: Source) -> bool:
    return source.head(64).removeprefix(BOM).startswith(b"#FORMAT=WebAnno TSV 3")


def _blocks(source: Source, columns: list[Column], context: Context) -> Iterator[Block]:
    block = Block()
    has_rows = False
    for line, text in chain(source.text_lines(), [(0, "")]):
        if text.startswith("#T_"):
            if has_rows:
                raise context.wrong("a layer is declared after the first token", line=line)
            columns += _columns_of(text)
        elif text.startswith("#Text="):
            block.text.append(unescaped(text.removeprefix("#Text=")))
        elif not text.strip():
            if block.rows or block.problems:
                yield block
                block = Block()
        elif text.startswith("#Sentence.id="):
            block.id = unescaped(text.removeprefix("#Sentence.id="))
        elif text.startswith("#"):
            if not text.startswith("#FORMAT="):
                context.lost("comment", text[:60], line=line)
        else:
            has_rows = True
            try:
                block.rows.append(_row(text, line, len(columns), context))
            except DataError as error:
                block.problems.append(error)


def _columns_of(header: str) -> list[Column]:
    """The columns that a line of the header declares: spans, relations or chains."""
    kind, _, rest = header.partition("=")
    layer, *features = rest.split("|")
    return [Column(layer, feature, kind == "#T_SP") for feature in features or [""]]


def _row(text: str, line: int, columns: int, context: Context) -> Row:
    parts = text.split("\t")
    place = _PLACE.fullmatch(parts[0])
    offsets = _OFFSETS.fullmatch(parts[1]) if len(parts) > 2 else None
    # Most writers put a TAB after the last cell, some do not.
    cells = parts[3 : 3 + columns]
    if place is None or offsets is None or len(cells) < columns or not parts[2]:
        raise context.wrong(
            f"expected a token, its offsets, its text and {columns} columns: {text[:60]!r}",
            line=line,
            hint="1-1 TAB 0-3 TAB the TAB ...",
        )
    span = int(offsets[1]), int(offsets[2])
    return Row(line, span, unescaped(parts[2]), place[1] is not None, cells)
