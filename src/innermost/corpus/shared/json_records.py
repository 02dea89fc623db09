"""JSON records, one at a time, from JSON lines or from one array of any length."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.errors import DataError
from innermost.files.source import (
    BOM,
    BOM_CHARACTER,
    Source,
    open_output,
    plain_name,
    wrong_encoding,
)

Record = dict[str, Any]

_BLANK = re.compile(r"[ \t\r\n]*")
_OBJECT_OF_LINES = re.compile(rb'\{\s*\n\s*(?:["}]|\Z)')
_PAIR = re.compile(r'\[[ \t]*"(?:[^"\\]|\\.)*"[ \t]*,[ \t]*\{')
"""The start of a file with a text and its annotation on each line; no array begins like this."""
_CHUNK = 1 << 16


def sentences_of_records(
    source: Source, context: Context, read: Callable[[Record, Context], Iterable[Sentence]]
) -> Iterator[Sentence]:
    """The sentences that ``read`` returns for each object of the file; bad ones are recorded."""

    def of_object(value: Any, place: Context) -> Iterable[Sentence]:
        return read(_object(value, place), place)

    return sentences_of_values(source, context, of_object)


def sentences_of_values(
    source: Source, context: Context, read: Callable[[Any, Context], Iterable[Sentence]]
) -> Iterator[Sentence]:
    """The same for any JSON values."""
    is_array = is_json_array(source)

    def sentences(numbered: tuple[int, tuple[int, bytes]]) -> Iterable[Sentence]:
        number, (line, data) = numbered
        place = context.at(line, record=number if is_array else None)
        for sentence in read(_decoded(data, place), place):
            sentence.record = place.record
            yield sentence

    return context.each(enumerate(json_values(source), start=1), sentences)


def is_json_array(source: Source) -> bool:
    """Whether the file is one array, not a value per line."""
    start = _start(source)
    return start.startswith(b"[") and not _PAIR.match(start.decode(errors="ignore"))


def is_one_value_per_line(source: Source) -> bool:
    """Whether the file is JSON lines, neither an array nor objects of several lines."""
    return not is_json_array(source) and not _OBJECT_OF_LINES.match(_start(source))


def json_values(source: Source) -> Iterator[tuple[int, bytes]]:
    """The JSON of each value, with the line on which it begins."""
    if is_one_value_per_line(source):
        return _values_of_lines(source)
    return _values_of_text(source, is_array=is_json_array(source))


def _start(source: Source) -> bytes:
    return source.head().removeprefix(BOM).lstrip()


def head_values(source: Source) -> Iterator[Any]:
    """The values at the start of the file, to detect its format; stops at the first bad one."""
    text = source.head().decode(errors="ignore").removeprefix(BOM_CHARACTER).lstrip()
    if not _PAIR.match(text):
        text = text.removeprefix("[").lstrip()
    find_end = json.JSONDecoder().raw_decode
    position = 0
    while position < len(text):
        try:
            value, position = find_end(text, position)
        except (ValueError, RecursionError):
            return
        yield value
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1


def head_records(source: Source) -> Iterator[Record]:
    """The same, but only objects."""
    for value in head_values(source):
        if not isinstance(value, dict):
            return
        yield value


def first_record(source: Source) -> Record:
    """The first object, or an empty one if there is none at the start of the file."""
    return next(head_records(source), {})


def decode_record(data: bytes, context: Context) -> Record:
    """The object in ``data``."""
    return _object(_decoded(data, context), context)


def name_of(record: Mapping[str, Any], key: str, context: Context) -> str | None:
    """The value of a key for names: a string, or a number, which becomes one."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise context.wrong(f'expected "{key}": a string, found {value!r}'[:200])


def are_numbers(*values: Any) -> bool:
    """Whether all are integers; unlike in Python, true and false are not."""
    return all(type(value) is int for value in values)


def probability(value: Any) -> float | None:
    """The value as a score, if it is one: other tools may store anything there."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def write_records(
    records: Iterable[Record], path: Path | str, *, array_on_stream: bool = False
) -> None:
    """Write objects as :func:`write_values` does."""
    write_values(map(msgspec.json.Encoder().encode, records), path, array_on_stream=array_on_stream)


def write_values(
    values: Iterable[bytes], path: Path | str, *, array_on_stream: bool = False
) -> None:
    """Write JSON as an array where the name ends in ``.json``, else as JSON lines.

    Standard output has no such name: it gets what the tools of the format expect.
    """
    is_stream = str(path) == "-"
    as_array = array_on_stream if is_stream else plain_name(str(path)).endswith(".json")
    with open_output(path) as sink:
        if not as_array:
            for value in values:
                sink.write(value + b"\n")
            return
        separator = b"[\n"
        for value in values:
            sink.write(separator + value)
            separator = b",\n"
        sink.write(b"[]\n" if separator == b"[\n" else b"\n]\n")


def _decoded(data: bytes, context: Context) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise context.wrong(f"not valid JSON: {error}") from None


def _object(value: Any, context: Context) -> Record:
    if not isinstance(value, dict):
        raise context.wrong(
            f"expected a JSON object, found {value!r}"[:80],
            hint="the file must be a list of objects, or one object per line",
        )
    return value


def _values_of_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of JSON lines, with their numbers."""
    return (numbered for numbered in source.utf8_lines() if numbered[1].strip())


def _values_of_text(source: Source, *, is_array: bool) -> Iterator[tuple[int, bytes]]:
    """The values of one list, or consecutive values, each with the line on which it begins.

    Only one value is in memory, however long the list is; the standard library has no such
    parser, and one loop does not justify a dependency.
    """
    with source.open() as file:
        text = _Window(codecs.getreader("utf-8")(file), source.path)
        if is_array:
            text.expect("[", "the beginning of a list")
        while text.peek() != ("]" if is_array else ""):
            yield text.line, text.value().encode()
            if is_array and text.peek() != "]":
                text.expect(",", "a comma or the end of the list")
        if is_array:
            text.expect("]", "the end of the list")
            text.expect("", "nothing after the list")


class _Window:
    """The part of a text being parsed; grows at its end and shrinks at its start."""

    def __init__(self, file: codecs.StreamReader, path: str) -> None:
        self.line = 1
        self._content = ""
        self._position = 0
        self._file = file
        self._path = path
        self._decode = json.JSONDecoder().raw_decode
        self._grow()
        self._content = self._content.removeprefix(BOM_CHARACTER)

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            match = _BLANK.match(self._content, self._position)
            self._advance(match.end() if match else self._position)
            if self._position < len(self._content) or not self._grow():
                return self._content[self._position : self._position + 1]

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
        self._advance(self._position + len(character))

    def value(self) -> str:
        """The next value, at the character that ``peek`` found."""
        while True:
            try:
                _, end = self._decode(self._content, self._position)
                if end < len(self._content) or not self._grow():
                    break
            except (ValueError, RecursionError) as error:
                if not self._grow():
                    raise DataError(
                        f"not valid JSON: {error}", path=self._path, line=self.line
                    ) from None
        start = self._position
        self._advance(end)
        return self._content[start:end]

    def _advance(self, position: int) -> None:
        self.line += self._content.count("\n", self._position, position)
        self._position = position

    def _grow(self) -> bool:
        """Double the window, so that a long value costs linear time."""
        left = self._content[self._position :]
        try:
            more = self._file.read(max(_CHUNK, len(left)))
        except UnicodeDecodeError as error:
            line = self.line + left.count("\n") + error.object.count(b"\n", 0, error.start)
            raise wrong_encoding(error, self._path, line) from None
        if more:
            self._content, self._position = left + more, 0
        return bool(more)


def list_of(record: Record, key: str, context: Context) -> list[Any]:
    """The list under ``key``, which may be missing or null; anything else is an error."""
    value = record.get(key) or []
    if not isinstance(value, list):
        raise context.wrong(f'expected "{key}": a list, found {value!r}')
    return value
