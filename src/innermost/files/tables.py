"""Tables of rows with named columns: CSV, TSV and Parquet, read and written row by row."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import msgspec

from innermost.errors import DataError, MissingExtraError
from innermost.files.csv_quotes import RowLines
from innermost.files.source import Source, plain_name
from innermost.plurals import count

Row = dict[str, Any]

CSV, TSV, PARQUET = ".csv", ".tsv", ".parquet"
SUFFIXES = (CSV, TSV, PARQUET)
ROWS = 1000
"""Rows that are read and written at a time."""
ENTITY_COLUMNS = {
    "start": "int64",
    "end": "int64",
    "label": "string",
    "text": "string",
    "level": "int64",
    "score": "float64",
    "parent": "int64",
}
"""What a column of entities has in Parquet: the type of each field, by the name that Arrow has for
it."""
_ESCAPED = "surrogateescape"
_QUOTING = (
    "fields with separators, quotes or line breaks need quotes around them, and quotes inside "
    "them are doubled"
)


def suffix_of(path: str) -> str | None:
    """The kind of table that a file name indicates, if any."""
    return next((suffix for suffix in SUFFIXES if plain_name(path).endswith(suffix)), None)


def column_names(source: Source) -> list[str]:
    """The names of the columns; none if the file cannot be read as a table."""
    if source.is_folder or not (kind := suffix_of(source.path)):
        return []
    try:
        if kind == PARQUET:
            return list(_parquet_file(source).schema_arrow.names)
        head = source.head_text().split("\n", 1)[0]
        return next(csv.reader([head], delimiter=_delimiter(kind, head)), [])
    except (DataError, csv.Error):
        return []


def read_rows(source: Source) -> Iterator[tuple[int, Row | DataError]]:
    """Each row with its place: the line on which it ends, or its number in Parquet.

    A row that does not match the header, or is not UTF-8, comes as an error instead.
    """
    if suffix_of(source.path) == PARQUET:
        yield from _parquet_rows(source)
    else:
        yield from _csv_rows(source)


def _csv_rows(source: Source) -> Iterator[tuple[int, Row | DataError]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a C long, which has 32 bits on Windows
    head = source.head_text().split("\n", 1)[0]
    delimiter = _delimiter(suffix_of(source.path) or CSV, head)
    with source.open() as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors=_ESCAPED, newline="")
        lines = RowLines(text, delimiter)
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            names = next(rows, [])
            lines.end_row()
            check_header(names, source.path)
            for row in rows:
                lines.end_row()
                if not is_utf8(row):
                    yield rows.line_num, _wrong_encoding(source.path, rows.line_num)
                elif len(row) == len(names):
                    yield rows.line_num, dict(zip(names, row, strict=True))
                elif row:
                    wrong = DataError(
                        f"the row has {count(len(row), 'field')}, the header has {len(names)}",
                        path=source.path,
                        line=rows.line_num,
                        hint=_QUOTING,
                    )
                    yield rows.line_num, wrong
        except csv.Error as error:
            line, problem = lines.problem() or (rows.line_num, None)
            message = f"the quote that opens here {problem}" if problem else f"not a table: {error}"
            raise DataError(
                message, path=source.path, line=line, hint=_QUOTING if problem else None
            ) from None


def check_header(names: list[str], path: str) -> None:
    """Refuse names of columns that are not UTF-8, missing or the same."""
    if not is_utf8(names):
        raise _wrong_encoding(path, 1)
    if not all(names):
        raise DataError(
            f"column {names.index('') + 1} has no name: {', '.join(names)}",
            path=path,
            line=1,
            hint="the first row names the columns; with pandas, leave out the index: index=False",
        )
    if len(set(names)) < len(names):
        raise DataError(
            f"two columns have the same name: {', '.join(names)}",
            path=path,
            line=1,
            hint="the first row names the columns",
        )


def is_utf8(row: list[str]) -> bool:
    """Whether all bytes of a row are UTF-8: others were decoded to surrogates."""
    text = "".join(row)
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _wrong_encoding(path: str, line: int) -> DataError:
    return DataError("not UTF-8", path=path, line=line, hint="save the file as UTF-8")


def _delimiter(kind: str, head: str) -> str:
    """For a .csv file, the usual delimiter that is most frequent in its header."""
    return "\t" if kind == TSV else max(",;\t", key=head.count)


def _parquet_file(source: Source) -> Any:
    parquet = _parquet()
    import pyarrow

    try:
        return parquet.ParquetFile(source.open())
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"not a Parquet file: {error}", path=source.path) from None


def _parquet_rows(source: Source) -> Iterator[tuple[int, Row]]:
    import pyarrow

    number = 0
    try:
        for batch in _parquet_file(source).iter_batches(ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except pyarrow.ArrowException as error:
        raise DataError(f"the Parquet file is damaged: {error}", path=source.path) from None


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "frames", error.name) from None
    return parquet


@contextmanager
def table_writer(
    sink: IO[bytes], kind: str, lost: Callable[[str], None]
) -> Iterator[Callable[[Iterable[Row]], None]]:
    """A function that writes rows of a table of this kind.

    The columns are those of the rows that are written first; ``lost`` is called with the names of
    other keys.
    """
    with _parquet_writer(sink) if kind == PARQUET else _csv_writer(sink, kind) as write:
        columns: list[str] = []

        def write_rows(rows: Iterable[Row]) -> None:
            complete: list[Row] = []
            rows = list(rows)
            if not columns:
                columns.extend(dict.fromkeys(name for row in rows for name in row))
            for row in rows:
                for key in row.keys() - columns:
                    lost(key)
                complete.append({name: row.get(name) for name in columns})
            if complete:
                write(complete)

        yield write_rows


@contextmanager
def _csv_writer(sink: IO[bytes], kind: str) -> Iterator[Callable[[list[Row]], None]]:
    text = io.TextIOWrapper(sink, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter="\t" if kind == TSV else ",", lineterminator="\n")
    begun = False

    def write(rows: list[Row]) -> None:
        nonlocal begun
        try:
            if not begun:
                writer.writerow(rows[0])
                begun = True
            writer.writerows([_cell(value) for value in row.values()] for row in rows)
        except csv.Error as error:  # a null character, with Python 3.10
            raise DataError(
                f"the text cannot be written as CSV: {error}", hint="write JSON lines instead"
            ) from None

    try:
        yield write
    finally:
        text.detach()  # otherwise it would close the sink


def _cell(value: Any) -> Any:
    """Text as is, None as an empty cell, everything else as JSON; dates without its quotes."""
    if value is None or isinstance(value, str):
        return value
    text = msgspec.json.encode(value).decode()
    return msgspec.json.decode(text) if text.startswith('"') else text


@contextmanager
def _parquet_writer(sink: IO[bytes]) -> Iterator[Callable[[list[Row]], None]]:
    """The column types are inferred from the first rows."""
    parquet = _parquet()
    import pyarrow

    writer: Any = None

    def write(rows: list[Row]) -> None:
        nonlocal writer
        try:
            if writer is None:
                writer = parquet.ParquetWriter(sink, _schema(rows))
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=writer.schema))
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            raise DataError(
                f"the rows do not fit one table: {error}", hint="write JSON lines or CSV instead"
            ) from None

    try:
        yield write
    finally:
        if writer is not None:  # also after an error, while the file is open
            writer.close()


def _schema(rows: list[Row]) -> Any:
    import pyarrow

    inferred = pyarrow.Table.from_pylist(rows).schema
    fields = []
    for field in inferred:
        if field.name == "entities":
            field = pyarrow.field("entities", pyarrow.list_(_entity_type(field.type, pyarrow)))
        elif pyarrow.types.is_null(field.type):
            field = pyarrow.field(field.name, pyarrow.string())
        fields.append(field)
    return pyarrow.schema(fields)


def _entity_type(found: Any, pyarrow: Any) -> Any:
    """The usual fields, and those that the first entities have in addition."""
    fields = {name: pyarrow.type_for_alias(kind) for name, kind in ENTITY_COLUMNS.items()}
    if pyarrow.types.is_list(found) and pyarrow.types.is_struct(found.value_type):
        for field in found.value_type:
            is_empty = pyarrow.types.is_null(field.type)
            fields.setdefault(field.name, pyarrow.string() if is_empty else field.type)
    return pyarrow.struct(list(fields.items()))
