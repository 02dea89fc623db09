"""Plain text: a file, or each of its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice

import msgspec

from innermost.corpus import Context, Source
from innermost.corpus.shared.json_records import json_values
from innermost.errors import DataError
from innermost.prediction.inputs.detection import is_whole
from innermost.prediction.inputs.keyed import json_records
from innermost.prediction.inputs.record import InputOptions, Record


def plain_text(
    source: Source, name: str, options: InputOptions, context: Context
) -> Iterator[Record]:
    """One text, or one per line; JSON on standard input is read as records."""

    def read_file(file: Source) -> list[Record]:
        return [Record(file.text(), {} if file.is_standard_input else {"doc": name})]

    def read_line(numbered: tuple[int, str | DataError]) -> list[Record]:
        number, line = numbered
        if isinstance(line, DataError):
            raise line
        return [Record(line, {} if source.is_standard_input else {"doc": f"{name}:{number}"})]

    if is_whole(source, options):
        if options.whole is None:
            detail = "read as one text; --lines reads each line as a separate text"
            context.report.add("note", "hard-wrapped text", detail, path=source.path)
        yield from context.each([source], read_file)
        return
    may_be_json = source.is_standard_input and options.reading.format is None
    if may_be_json and source.begins_with_records():
        yield from json_records(json_values(source), "-", options, context.report)
        return
    lines = source.lines_or_errors()
    for number, line in islice(lines, 1):
        lines = chain([(number, line)], lines)
        if may_be_json and isinstance(line, str) and _is_object(line):
            yield from json_records(_values(lines), "-", options, context.report)
            return
    yield from context.each(lines, read_line)


def _values(
    lines: Iterable[tuple[int, str | DataError]],
) -> Iterator[tuple[int, bytes | DataError]]:
    """Lines of JSON, encoded."""
    for number, line in lines:
        yield number, line if isinstance(line, DataError) else line.encode()


def _is_object(line: str) -> bool:
    """Whether a line is a JSON object, and so a record, even one without a text."""
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except (msgspec.DecodeError, RecursionError):
        return False
