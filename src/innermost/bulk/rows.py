"""The rows of JSON lines, plain text and CSV. Rows that cannot be read are rejects."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import msgspec

from innermost.bulk.blocks import Row
from innermost.bulk.rejects import Reject, too_long, wrong_text
from innermost.bulk.settings import Settings
from innermost.bulk.shards import CSV, JSONL, TEXT, Shard, no_text_column
from innermost.errors import DataError
from innermost.files.compression import decompressed
from innermost.files.csv_quotes import RowLines
from innermost.files.source import BOM, Source, is_utf16, utf16_file
from innermost.files.tables import check_header, is_utf8
from innermost.plurals import count

Line = tuple[int, bytes | None]
"""The number of a line and its bytes with the line break; None if it is too long."""

Columns = tuple[int, dict[str, Any]]
"""The number of a row and its columns; values of JSON are not decoded yet."""

_DELIMITERS = ",;\t"
_CHECKED = 1_000
"""Rows in which the column of texts must occur: with a wrong name, all would be rejected."""


def read_rows(shard: Shard, settings: Settings) -> Iterator[tuple[Row | Reject, float]]:
    """Every row or its reject, and how much of the file has been read, from 0 to 1.

    If a file is damaged, the rest of it is one reject.
    """
    for columns, position in _read(shard, settings):
        yield columns if isinstance(columns, Reject) else _row(*columns, settings), position


def check_content(shard: Shard, settings: Settings) -> None:
    """Raise an error if a file is UTF-16, or if none of its first rows has a column of texts."""
    if is_utf16(_start(shard)):
        raise utf16_file(shard.path)
    if shard.kind == TEXT:
        return
    names: list[str] = []
    for columns, _ in islice(_read(shard, settings), _CHECKED):
        if not isinstance(columns, Reject):
            if settings.text_column in columns[1]:
                return
            names = names or [*columns[1]]
    if names:
        what = "keys" if shard.kind == JSONL else "columns"
        raise no_text_column(shard, settings, names, what)


def _start(shard: Shard) -> bytes:
    try:
        return Source(shard.path).head(4)
    except DataError:  # damaged: a reject, as further on in a file
        return b""


def _read(shard: Shard, settings: Settings) -> Iterator[tuple[Columns | Reject, float]]:
    readers = {JSONL: _json_rows, TEXT: _text_rows}
    read = readers.get(shard.kind, _csv_rows)
    row = 0
    with Path(shard.path).open("rb") as raw:
        try:
            file = decompressed(raw, shard.path)
            for result in read(_lines(file, settings.max_row_bytes), shard, settings):
                row = result.row if isinstance(result, Reject) else result[0]
                yield result, raw.tell() / max(shard.size, 1)
        except (OSError, DataError) as error:
            reason = error.message if isinstance(error, DataError) else str(error)
            yield Reject(row + 1, None, f"the rest of the file is lost: {reason}"), 1.0


def _row(number: int, columns: dict[str, Any], settings: Settings) -> Row | Reject:
    try:
        id = _value(columns.get(settings.id_column))
        if settings.text_column not in columns:
            return Reject(number, id, f"there is no {settings.text_column!r}")
        text = _value(columns[settings.text_column])
    except (msgspec.DecodeError, RecursionError) as error:
        return Reject(number, None, _not_a_row(error))
    if not isinstance(text, str):
        return Reject(number, id, wrong_text(text))
    return Row(number, id, text, columns)


def _value(value: Any) -> Any:
    return msgspec.json.decode(value) if isinstance(value, msgspec.Raw) else value


def _not_a_row(error: Exception) -> str:
    return f"not a row: {error}"


def _lines(file: IO[bytes], longest: int) -> Iterator[Line]:
    """The lines of a file; memory is bounded by the longest allowed line."""
    number = 0
    while line := file.readline(longest + 2):
        number += 1
        if number == 1:
            line = line.removeprefix(BOM)
        ended = line.endswith(b"\n")
        if len(line.rstrip(b"\r\n")) <= longest:
            yield number, line
            continue
        while not ended and (line := file.readline(longest)):
            ended = line.endswith(b"\n")
        yield number, None


def _text_rows(
    lines: Iterable[Line], shard: Shard, settings: Settings
) -> Iterator[Columns | Reject]:
    for number, line in lines:
        text = _decoded(line, settings)
        if isinstance(text, str):
            yield number, {"row": number, settings.text_column: text}
        else:
            yield Reject(number, None, text[0])


def _json_rows(
    lines: Iterable[Line], shard: Shard, settings: Settings
) -> Iterator[Columns | Reject]:
    # Values are copied as written: even a number too large for Python's JSON is preserved.
    decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
    for number, line in lines:
        text = _decoded(line, settings)
        if not isinstance(text, str):
            yield Reject(number, None, text[0])
        elif text and not text.isspace():
            try:
                yield number, decoder.decode(text)
            except (msgspec.DecodeError, RecursionError) as error:
                yield Reject(number, None, _not_a_row(error))


def _decoded(line: bytes | None, settings: Settings) -> str | tuple[str]:
    """The text of a line, or a tuple with the reason why it has none."""
    if line is None:
        return (too_long(settings.max_row_bytes),)
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        return (f"byte 0x{line[error.start]:02x} at byte {error.start + 1} is not UTF-8",)


def _csv_rows(
    lines: Iterable[Line], shard: Shard, settings: Settings
) -> Iterator[Columns | Reject]:
    """Rows after a header, numbered by the line on which they end."""
    csv.field_size_limit(settings.max_row_bytes)
    numbered = iter(lines)
    _, header = next(numbered, (0, b""))
    if header is None:
        raise DataError(too_long(settings.max_row_bytes), path=shard.path, line=1)
    head = header.decode("utf-8", "surrogateescape")
    delimiter = max(_DELIMITERS, key=head.count) if shard.kind == CSV else "\t"
    # A line that is not text is marked, not dropped: it may be part of a longer row.
    texts = _Texts(numbered)
    row = RowLines(chain([head], texts), delimiter)
    reader = csv.reader(row, delimiter=delimiter, strict=True)
    try:
        names = next(reader, [])
    except csv.Error as error:
        raise DataError(_not_csv(row, error), path=shard.path, line=1) from None
    check_header(names, shard.path)
    while True:
        row.end_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Reject(texts.number, None, _not_csv(row, error))
            continue
        if cells is None:
            return
        if texts.too_long:
            texts.too_long = False
            yield Reject(texts.number, None, too_long(settings.max_row_bytes))
        elif cells:
            yield _csv_row(texts.number, names, cells, settings)


def _not_csv(row: RowLines, error: csv.Error) -> str:
    line, problem = row.problem() or (0, None)
    reason = f"the quote that opens in line {line:,} {problem}" if problem else str(error)
    return f"not a row of a table: {reason}"


class _Texts:
    """Lines for a CSV reader, which needs text: invalid bytes become surrogates."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self.number = 1
        self.too_long = False

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self.number = number
            if line is None:
                self.too_long = True
                yield "-\n"
            else:
                yield line.decode("utf-8", "surrogateescape")


def _csv_row(
    number: int, names: list[str], cells: list[str], settings: Settings
) -> Columns | Reject:
    columns = dict(zip(names, cells, strict=False))
    id = columns.get(settings.id_column)
    if not is_utf8(cells):
        return Reject(number, id if id is not None and is_utf8([id]) else None, "not UTF-8")
    if len(cells) != len(names):
        reason = f"the row has {count(len(cells), 'field')}, the header has {len(names)}"
        return Reject(number, id, reason)
    return number, columns
