"""JSON records one at a time: from JSON lines, or from one array however long it is."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError
from innermost.files.source import Source, open_output, plain_name

Record = dict[str, Any]

_BLANK = re.compile(r"[ \t\r\n]*")
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 16


def sentences_of_records(
    source: Source, context: Context, read: Callable[[Record, Context], Iterable[Sentence]]
) -> Iterator[Sentence]:
    """What ``read`` makes of each object of the file; a bad one is a problem of its own."""

    is_array = looks_like_array(source)

    def sentences(numbered: tuple[int, tuple[int, bytes]]) -> Iterable[Sentence]:
        number, (line, data) = numbered
        place = context.at(line, record=number if is_array else None)
        return read(decode_record(data, place), place)

    records = _records_of_array(source) if is_array else _records_of_lines(source)
    return context.each(enumerate(records, start=1), sentences)


def _records_of_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The objects of the file, each with the number of its line."""
    for number, line in enumerate(source.lines(), start=1):
        if number == 1:
            line = line.removeprefix(_BOM)
        if line.strip():
            yield number, line


def looks_like_array(source: Source) -> bool:
    return source.head().removeprefix(_BOM).lstrip()[:1] == b"["


def head_records(source: Source) -> Iterator[Record]:
    """The objects in the head of the file, to tell its format by; ends at what is none."""
    text = source.head().decode(errors="ignore").removeprefix("\ufeff").lstrip()
    text = text.removeprefix("[").lstrip()
    find_end = json.JSONDecoder().raw_decode
    position = 0
    while position < len(text):
        try:
            record, position = find_end(text, position)
        except (ValueError, RecursionError):
            return
        if not isinstance(record, dict):
            return
        yield record
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1


def first_record(source: Source) -> Record:
    """The first object, or an empty one where the head of the file does not hold one."""
    return next(head_records(source), {})


def write_records(records: Iterable[Record], path: Path | str) -> None:
    """Write an array where the name ends in ``.json``, else JSON lines."""
    as_array = plain_name(str(path)).endswith(".json")
    encode = msgspec.json.Encoder().encode
    with open_output(path) as sink:
        if not as_array:
            for record in records:
                sink.write(encode(record) + b"\n")
            return
        separator = b"[\n"
        for record in records:
            sink.write(separator + encode(record))
            separator = b",\n"
        sink.write(b"[]\n" if separator == b"[\n" else b"\n]\n")


def decode_record(data: bytes, context: Context) -> Record:
    """The object in ``data``."""
    try:
        record = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise context.wrong(f"not valid JSON: {error}") from None
    if not isinstance(record, dict):
        raise context.wrong(
            f"expected a JSON object, found {data[:40].decode(errors='replace')!r}",
            hint="the file is a list of objects, or holds one object per line",
        )
    return record


def _records_of_array(source: Source) -> Iterator[tuple[int, bytes]]:
    """The same for one list of objects, each with the line on which it begins."""
    find_end = json.JSONDecoder().raw_decode
    with source.open() as file:
        text = _Window(codecs.getreader("utf-8")(file), source.path)
        text.skip_blank()
        text.expect("[", "the beginning of a list")
        text.skip_blank()
        while text.peek() != "]":
            while True:
                try:
                    _, end = find_end(text.content)
                    if end < len(text.content) or not text.grow():
                        break
                except (ValueError, RecursionError) as error:
                    if not text.grow():
                        raise DataError(
                            f"not valid JSON: {error}", path=source.path, line=text.line
                        ) from None
            yield text.line, text.content[:end].encode()
            text.drop(end)
            text.skip_blank()
            if text.peek() != "]":
                text.expect(",", "a comma or the end of the list")
                text.skip_blank()
        text.drop(1)
        text.skip_blank()
        if text.peek():
            text.expect("", "nothing after the list")


class _Window:
    """The part of a text that is being looked at; grows at its end and is dropped at its start."""

    def __init__(self, file: codecs.StreamReader, path: str) -> None:
        self.content = ""
        self.line = 1
        self._file = file
        self._path = path
        self.grow()
        self.content = self.content.removeprefix("\ufeff")

    def grow(self) -> bool:
        """Read as much again as there is, so that a long record costs linear time."""
        try:
            more = self._file.read(max(_CHUNK, len(self.content)))
        except UnicodeDecodeError as error:
            raise DataError(f"not UTF-8: {error.reason}", path=self._path, line=self.line) from None
        self.content += more
        return bool(more)

    def drop(self, count: int) -> None:
        self.line += self.content.count("\n", 0, count)
        self.content = self.content[count:]

    def skip_blank(self) -> None:
        while (match := _BLANK.match(self.content)) is not None:
            self.drop(match.end())
            if self.content or not self.grow():
                return

    def peek(self) -> str:
        return self.content[:1]

    def expect(self, character: str, what: str) -> None:
        found = self.peek()
        if found != character:
            shown = repr(found) if found else "the end of the file"
            raise DataError(
                f"expected {what}, found {shown}",
                path=self._path,
                line=self.line,
                hint="the file must be one JSON list of objects",
            )
        self.drop(1)
