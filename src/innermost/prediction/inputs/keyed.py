"""Records with keys: JSON, and the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from innermost.corpus import Context, Sentence, Source
from innermost.corpus.formats.native.fields import misspelled
from innermost.corpus.formats.table import check_columns, record_of
from innermost.corpus.report import Report
from innermost.corpus.shared.json_records import decode_record
from innermost.errors import DataError
from innermost.files.tables import Row, read_rows
from innermost.prediction.inputs.record import InputOptions, Record, name_of

_ID = "id"
"""The key of the names, unless another one is chosen."""


def json_records(
    values: Iterable[tuple[int, bytes | DataError]],
    path: str,
    options: InputOptions,
    report: Report,
) -> Iterator[Record]:
    context = Context(options.reading.options, report, path)

    def read(numbered: tuple[int, bytes | DataError]) -> list[Record]:
        number, value = numbered
        if isinstance(value, DataError):
            raise value
        if not value.strip():
            return []
        place = context.at(number)
        record = decode_record(value, place)
        if options.id != _ID and options.id not in record:
            keys = ", ".join(record)
            report.add(
                "note", f"no {options.id!r}", f"the keys are: {keys}", path=path, line=number
            )
        return [_record(record, record, options, place)]

    yield from context.each(values, read)
    context.raise_problems()


def table_records(source: Source, options: InputOptions, report: Report) -> Iterator[Record]:
    settings = {**options.reading.settings, "text": options.text, "id": options.id}
    context = Context(replace(options.reading.options, settings=settings), report, source.path)

    def read(numbered: tuple[int, Row | DataError]) -> list[Record]:
        line, row = numbered
        if isinstance(row, DataError):
            raise row
        place = context.at(line)
        record = record_of({k: v for k, v in row.items() if k != "entities"}, place)
        return [_record(row, record, options, place)]

    check_columns(source, context)
    yield from context.each(read_rows(source), read)
    context.raise_problems()


def _record(
    keys: dict[str, Any], record: dict[str, Any], options: InputOptions, context: Context
) -> Record:
    """A record of text or of tokens; entities that it has are not looked at."""
    if record.get("tokens") is not None:
        return Record(_sentence(record, context), keys, id_key=options.id)
    text = keys.get(options.text)
    if not isinstance(text, str):
        close = misspelled(options.text, set(keys) - {options.text})
        meant = f"did you mean {close!r}? " if close else ""
        state = f"{options.text!r} is {text!r}" if options.text in keys else f"no {options.text!r}"
        raise context.wrong(
            f"the record has no text: {state}",
            hint=f"{meant}a record needs {options.text!r} or 'tokens'; "
            "name the key or column of the texts with --text-column",
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise context.wrong(f"unpaired surrogate U+{code:04X} in the text") from None
    return Record(text, keys, options.text, options.id)


def _sentence(record: dict[str, Any], context: Context) -> Sentence:
    tokens, gaps = record["tokens"], record.get("gaps")
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise context.wrong('expected "tokens": a list of non-empty strings')
    fits = isinstance(gaps, list) and len(gaps) == len(tokens) + 1
    if gaps is not None and not (fits and all(isinstance(gap, str) for gap in gaps)):
        raise context.wrong('expected "gaps": a list of strings, one more than there are tokens')
    return Sentence(tokens, gaps=gaps, doc=name_of(record.get("doc")))
