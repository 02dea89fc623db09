"""All inputs of a prediction, one record after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from innermost.corpus import Context, Source
from innermost.corpus.report import Report
from innermost.corpus.shared.json_records import is_json_array, json_values
from innermost.errors import UsageError
from innermost.prediction.inputs.corpora import corpus_records
from innermost.prediction.inputs.detection import (
    NATIVE,
    TABLE,
    TEXT,
    format_of,
    is_whole,
    text_files,
)
from innermost.prediction.inputs.keyed import json_records, table_records
from innermost.prediction.inputs.paths import names_of
from innermost.prediction.inputs.plain_text import plain_text
from innermost.prediction.inputs.record import InputOptions, Record

_UNREAD = "files not read, because they are not .txt"


def read_records(paths: Sequence[str], options: InputOptions, report: Report) -> Iterator[Record]:
    """The records of all files, one after the other."""
    return (record for _, record in located_records(paths, options, report))


def located_records(
    paths: Sequence[str], options: InputOptions, report: Report
) -> Iterator[tuple[str, Record]]:
    """The same with the location of each: ``pool.jsonl:17`` is the 17th record of that file."""
    for path, name in zip(paths, names_of(paths), strict=True):
        file = "stdin" if path == "-" else name.rstrip("/") or Path(path).name
        for number, record in enumerate(_records(path, name, options, report), start=1):
            yield f"{file}:{number}", record


def text_records(texts: Iterable[str]) -> Iterator[Record]:
    """Texts from the command line, which are UTF-8 whatever the locale says."""
    for text in texts:
        try:
            # In a locale without UTF-8, Python keeps its bytes as surrogates.
            yield Record(text if text.isascii() else os.fsencode(text).decode())
        except UnicodeError:
            raise UsageError(f"the text {text!r} is not UTF-8") from None


def count_records(paths: Sequence[str], options: InputOptions) -> int | None:
    """The number of records, if it is known without reading them."""
    counts = [_count(path, options) for path in paths]
    return None if None in counts else sum(count or 0 for count in counts)


def _records(path: str, name: str, options: InputOptions, report: Report) -> Iterator[Record]:
    source = Source(path)
    folder = text_files(source, options)
    if folder is not None:
        options = replace(options, whole=options.whole is not False)
        context = Context(options.reading.options, report, path)
        _note_other_files(source, folder, report)
        for file in folder:
            inside = Path(file.path).relative_to(source.path).as_posix()
            yield from plain_text(file, name + inside, options, context)
        context.raise_problems()
        return
    format = format_of(source, options)
    if format == TEXT:
        context = Context(options.reading.options, report, path)
        yield from plain_text(source, name, options, context)
        context.raise_problems()
    elif format == NATIVE:
        yield from json_records(json_values(source), path, options, report)
    elif format == TABLE:
        yield from table_records(source, options, report)
    else:
        yield from corpus_records(source, format, options, report)


def _note_other_files(folder: Source, texts: Sequence[Source], report: Report) -> None:
    """Note the files of a folder that are not read."""
    read = {file.path for file in texts}
    for file in folder.files(""):
        if file.path not in read:
            name = Path(file.path).relative_to(folder.path).as_posix()
            report.add("note", _UNREAD, name, path=folder.path)


def _count(path: str, options: InputOptions) -> int | None:
    source = Source(path)
    if source.is_standard_input:
        return None
    folder = text_files(source, options)
    if folder is not None:
        return len(folder) if options.whole is not False else None
    format = format_of(source, options)
    if format in (TEXT, NATIVE):
        if format == TEXT and is_whole(source, options):
            return 1
        if format == NATIVE and is_json_array(source):
            return None
        with source.open() as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    return None
