"""Which format an input has, as requested or detected."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from innermost.corpus import Source, registry
from innermost.corpus.shared.json_records import first_record
from innermost.corpus.shared.plain_text import is_tagged_throughout
from innermost.errors import DataError
from innermost.files.source import BOM, plain_name
from innermost.files.tables import CSV, TSV, column_names, suffix_of
from innermost.plurals import count
from innermost.prediction.inputs.record import InputOptions
from innermost.text.wrapping import is_hard_wrapped

TEXT, NATIVE, TABLE = "text", "native", "table"
"""The formats with their own records; ``text`` is not a corpus format."""
_DISTINCT = ("pubtator", "webanno", "conllu")
"""Formats whose first lines do not occur in plain text."""
_ROWS = 20
_SPACES = 3
"""More than there are in a token, a label or the name of a document."""


def text_files(source: Source, options: InputOptions) -> list[Source] | None:
    """The files of a folder of plain texts; None for everything else."""
    if not source.is_folder or options.reading.format not in (None, TEXT):
        return None
    texts = source.files(".txt")
    if options.reading.format is None and (not texts or _guess(source) is not None):
        return None
    if not texts:
        raise _no_texts(source)
    return texts


def format_of(source: Source, options: InputOptions) -> str:
    """The name of the format of a file, as requested or detected."""
    if options.reading.format is not None:
        return registry.ALIASES.get(options.reading.format, options.reading.format)
    if source.is_standard_input:
        return TEXT
    if source.name.endswith(".txt"):
        return _corpus_in_text_file(source) or TEXT
    if suffix_of(source.path) and _is_table(source, options):
        return TABLE
    if _is_list_of_records(source):
        return NATIVE
    guess = _guess(source)
    if guess is None:
        if source.is_folder:
            raise _no_texts(source)
        raise DataError(
            "not a corpus in a known format",
            path=source.path,
            hint="if it is plain text, add: --from text",
        )
    return guess


def _corpus_in_text_file(source: Source) -> str | None:
    """The format of a corpus with the suffix of plain text, if nothing in it can be plain text."""
    for name in _DISTINCT:
        if registry.get(name).sniff(source):
            return name
    is_columns = is_tagged_throughout(source) and registry.get("columns").sniff(source)
    return "columns" if is_columns else None


def _no_texts(source: Source) -> DataError:
    """A folder with nothing to read, with advice for the files that most of it consists of."""
    suffixes = Counter(_suffix(file.path) for file in source.files(""))
    if not suffixes:
        return DataError("the folder is empty", path=source.path)
    suffix, number = suffixes.most_common(1)[0]
    files = count(number, f"{suffix} file".strip())
    pattern = f"{source.path.rstrip('/')}/*{suffix}"
    return DataError(
        "the folder is neither a corpus nor a folder of .txt files",
        path=source.path,
        hint=f"to read its {files}, use a pattern: -i '{pattern}'",
    )


def _suffix(path: str) -> str:
    """The last suffix of a file name, including that of compression."""
    plain = plain_name(path)
    return Path(plain).suffix + Path(path).name[len(plain) :]


def _is_list_of_records(source: Source) -> bool:
    """Whether it is JSON with objects that no corpus format recognizes."""
    if source.is_folder or not source.name.endswith(".json"):
        return False
    return bool(first_record(source)) and not any(
        registry.get(name).sniff(source) for name in registry.names()
    )


def _is_table(source: Source, options: InputOptions) -> bool:
    """Whether the file is a table of texts, or an empty one, which has no rows.

    A .csv file must be one; a .tsv file may also have a token on each line.
    """
    names = column_names(source)
    if options.text in names or not source.head().removeprefix(BOM).strip():
        return True
    if not names and suffix_of(source.path) == CSV:
        raise DataError(
            "the first line is blank", path=source.path, line=1, hint="it names the columns"
        )
    if suffix_of(source.path) == CSV or _has_texts(source, len(names)):
        raise DataError(
            f"the table has no column {options.text!r}",
            path=source.path,
            hint=f"choose a column with --text-column; the columns are: {', '.join(names)}",
        )
    return False


def _has_texts(source: Source, columns: int) -> bool:
    """Whether rows of as many columns as the first contain running text."""
    if suffix_of(source.path) != TSV or columns < 2:
        return False
    lines = source.head_text().splitlines()[:_ROWS]
    rows = [line.split("\t") for line in lines[1:-1] or lines[1:]]
    return all(len(row) == columns for row in rows) and any(
        cell.count(" ") >= _SPACES for row in rows for cell in row
    )


def _guess(source: Source) -> str | None:
    try:
        return registry.guess(source).name
    except DataError:
        return None


def is_whole(source: Source, options: InputOptions) -> bool:
    if options.whole is not None or source.is_standard_input:
        return bool(options.whole)
    return is_hard_wrapped(source.head().decode(errors="replace").splitlines())
