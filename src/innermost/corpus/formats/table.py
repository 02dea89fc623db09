"""Tables of texts: CSV, TSV or Parquet, one text per row, its entities in one column::

    id,text,entities
    17,IL-2 gene,"[{""start"": 0, ""end"": 9, ""label"": ""DNA""}]"

In CSV and TSV the entities are JSON, in Parquet a list of structs. The other columns are kept. With
a column ``tokens``, also a list, the row is a tokenized sentence. Parquet needs the extra
``frames``.

Settings: ``text`` and ``id`` name the columns of the text and its name, if they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.native import sentences_of_record
from innermost.corpus.formats.native import text as native_text
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.entity_checks import Wrong
from innermost.errors import DataError
from innermost.files.source import Source, open_output
from innermost.files.tables import (
    CSV,
    PARQUET,
    ROWS,
    SUFFIXES,
    Row,
    column_names,
    read_rows,
    suffix_of,
    table_writer,
)

_LISTS = ("entities", "tokens", "gaps")
_AS_JSON = (
    "a list needs double quotes, as json.dumps writes it; with pandas, write JSON lines instead: "
    'df.to_json("data.jsonl", orient="records", lines=True)'
)


class _Table(Format):
    name = "table"
    description = "tables of texts: CSV, TSV, Parquet with a column of entities"
    suffixes = (".csv", ".tsv")
    reading_settings = ("text", "id", "sentences")
    writing_settings = ("sentences",)
    holds = frozenset({"crossings", "duplicates", "gaps", "doc", "id", "extra", "scores"})

    def __init__(self, kind: str = CSV) -> None:
        self._kind = kind
        """What to write if the name of the file does not say."""

    def variant(self, alias: str) -> Format:
        return _Table(f".{alias}") if f".{alias}" in SUFFIXES else self

    def sniff(self, source: Source) -> bool:
        names = column_names(source)
        # With tokens, Parquet is a dataset; without, the texts may be in another column.
        return "entities" in names and ("text" in names or "tokens" not in names)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        def read(numbered: tuple[int, Row | DataError]) -> list[Sentence]:
            line, row = numbered
            if isinstance(row, DataError):
                raise row
            return sentences_of_row(row, context.at(line))

        check_columns(source, context)
        if {"start", "end"} <= (names := {*column_names(source)}) and "entities" not in names:
            detail = "the columns start and end are not read: entities are a list in one column"
            context.odd("one entity per row", detail)
        return context.each(read_rows(source), read)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        def lost(key: str) -> None:
            context.lost(
                "extra key", f"{key!r} has no column: the first {ROWS:,} rows do not have it"
            )

        kind = suffix_of(str(path)) or self._kind
        is_text = kind != PARQUET
        with open_output(path) as sink, table_writer(sink, kind, lost) as write:
            records = native_text.records(sentences, context)
            while rows := list(islice(records, ROWS)):
                for row in rows if is_text else ():
                    _report_values(row, context)
                write(rows)


def sentences_of_row(row: Row, context: Context) -> list[Sentence]:
    try:
        return sentences_of_record(record_of(row, context), context)
    except Wrong as error:
        raise context.wrong(str(error), hint=error.hint) from None


def check_columns(source: Source, context: Context) -> None:
    """Refuse a table without the columns that are to be read."""
    names = column_names(source)
    for key in ("text", "id"):
        column = context.options.settings.get(key, key)
        if names and column not in names and (key == "text" or column != key):
            raise context.wrong(
                f"there is no column {column!r}",
                line=1,
                hint=f"choose one with --read-set {key}=COLUMN; "
                f"each row is a whole text; the columns are: {', '.join(names)}",
            )


def record_of(row: Row, context: Context) -> dict[str, Any]:
    """The native record of a row: columns under their usual names, lists as lists."""
    record = dict(row)
    for key in ("text", "id"):
        column = context.options.settings.get(key, key)
        if column in record and column != key:
            record[key] = record.pop(column)
    for key in _LISTS:
        if isinstance(value := record.get(key), str):
            record[key] = _decoded(value, key, context)
    if isinstance(entities := record.get("entities"), list):
        record["entities"] = [_present(item) for item in entities]
    return {key: value for key, value in record.items() if value is not None or key == "text"}


def _report_values(record: Row, context: Context) -> None:
    """In CSV and TSV everything is text, and is read as text again."""
    for key, value in record.items():
        if key not in _LISTS and not isinstance(value, str):
            context.changed("value as text", f"{key!r}: {value!r}")


def _present(item: Any) -> Any:
    """An entity without its missing fields: in Parquet all entities have the same fields."""
    return {k: v for k, v in item.items() if v is not None} if isinstance(item, dict) else item


def _decoded(value: str, key: str, context: Context) -> Any:
    try:
        return msgspec.json.decode(value) if value.strip() else []
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise context.wrong(f"the column {key!r} is not JSON: {error}", hint=_AS_JSON) from None


FORMAT = _Table()
