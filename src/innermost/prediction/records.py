"""The inputs of predictions, as records: a text or sentences, and their keys."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus import Context, Sentence, Source, registry
from innermost.corpus.formats.native.fields import misspelled
from innermost.corpus.formats.table import record_of
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.corpus.report import Report
from innermost.corpus.shared.json_records import (
    decode_record,
    first_record,
    is_json_array,
    json_values,
)
from innermost.errors import DataError, UsageError
from innermost.files.tables import CSV, Row, column_names, read_rows, suffix_of
from innermost.text.wrapping import is_hard_wrapped

TEXT, NATIVE, TABLE = "text", "native", "table"
"""The formats with their own records; ``text`` is not a corpus format."""


@dataclass(frozen=True, slots=True)
class Record:
    """One input, which becomes one record of the output."""

    item: str | Sentence | list[Sentence]
    keys: dict[str, Any] = field(default_factory=dict)
    """The keys of its source, in order; the output repeats them."""
    text_key: str = "text"
    id_key: str = "id"

    @property
    def tokens(self) -> list[str] | None:
        """The tokens, if the input has them."""
        return self.item.tokens if isinstance(self.item, Sentence) else None

    @property
    def id(self) -> str | None:
        return _name(self.keys.get(self.id_key))

    @property
    def doc(self) -> str | None:
        return _name(self.keys.get("doc"))

    @property
    def extra(self) -> dict[str, Any]:
        """The keys that are not fields of a corpus sentence."""
        ours = {self.text_key, self.id_key, "doc", "tokens", "gaps", "entities"}
        return {key: value for key, value in self.keys.items() if key not in ours}


@dataclass(frozen=True, slots=True)
class InputOptions:
    """How the input of a prediction is read."""

    reading: ReadingOptions
    tokenizer: str
    """The tokenizer of the model."""
    whole: bool | None = None
    """Whether a file of plain text is one text, or one per line; None: detected."""
    text: str = "text"
    """The key or column of the texts."""
    id: str = "id"


def expand_paths(paths: Sequence[str]) -> list[str]:
    """The files of all patterns and names; a folder of texts becomes its files."""
    files: list[str] = []
    for path in paths:
        if path == "-" or not has_magic(path) or Path(path).exists():
            files.append(path)
        elif matches := sorted(glob(path, recursive=True)):  # noqa: PTH207  absolute or not
            files += matches
        else:
            raise DataError("no file matches", path=path)
    return files


def read_records(paths: Sequence[str], options: InputOptions, report: Report) -> Iterator[Record]:
    """The records of all files, one after the other."""
    for path, name in zip(paths, _names(paths), strict=True):
        yield from _records(path, name, options, report)


def _names(paths: Sequence[str]) -> list[str]:
    """What the texts of each file or folder are called: by its name alone if that is enough.

    The names of files are names of documents, those of folders come before the files in them.
    """
    counts = Counter(Path(path).name for path in paths)
    folders = [path for path in paths if Path(path).is_dir()]
    names = []
    for path in paths:
        is_unique = counts[Path(path).name] == 1
        if path in folders:
            names.append("" if len(folders) == 1 else f"{path.rstrip('/')}/")
        else:
            names.append(Source(path).name if is_unique else path)
    return names


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
    folder = _text_files(source, options)
    if folder is not None:
        options = replace(options, whole=options.whole is not False)
        context = Context(options.reading.options, report, path)
        _note_other_files(source, folder, report)
        for file in folder:
            inside = Path(file.path).relative_to(source.path).as_posix()
            yield from _plain(file, name + inside, options, context)
        _end(context)
        return
    format = _format(source, options)
    if format == TEXT:
        context = Context(options.reading.options, report, path)
        yield from _plain(source, name, options, context)
        _end(context)
    elif format == NATIVE:
        yield from _json_records(json_values(source), path, options, report)
    elif format == TABLE:
        yield from _table(source, options, report)
    else:
        yield from _corpus(source, format, options, report)


def _text_files(source: Source, options: InputOptions) -> list[Source] | None:
    """The files of a folder of plain texts; None for everything else."""
    if not source.is_folder or options.reading.format not in (None, TEXT):
        return None
    texts = source.files(".txt")
    if options.reading.format is None and (not texts or _guess(source) is not None):
        return None
    if not texts:
        raise DataError("the folder has no .txt files", path=source.path)
    return texts


def _note_other_files(folder: Source, texts: Sequence[Source], report: Report) -> None:
    """Note the files of a folder that are not read; hidden ones are not meant to be."""
    read = {file.path for file in texts}
    others = [f for f in folder.files("") if f.path not in read and not f.name.startswith(".")]
    if others:
        suffixes = sorted({Path(file.name).suffix or "no suffix" for file in others})
        number = "1 other file" if len(others) == 1 else f"{len(others):,} other files"
        state = "was" if len(others) == 1 else "were"
        detail = f"{number} in {folder.path} {state} not read ({', '.join(suffixes)})"
        report.add("note", "only .txt files are read in a folder", detail)


def _format(source: Source, options: InputOptions) -> str:
    """The name of the format of a file, as requested or detected."""
    if options.reading.format is not None:
        return registry.ALIASES.get(options.reading.format, options.reading.format)
    if source.is_standard_input or source.name.endswith(".txt"):
        return TEXT
    if suffix_of(source.path) and _is_table(source, options):
        return TABLE
    if _is_list_of_records(source):
        return NATIVE
    guess = _guess(source)
    if guess is None:
        is_empty = source.is_folder and not source.files("")
        raise DataError(
            "the folder is empty" if is_empty else "not a corpus in a known format",
            path=source.path,
            hint=None if is_empty else "if it is plain text, add: --from text",
        )
    return guess


def _is_list_of_records(source: Source) -> bool:
    """Whether it is JSON with objects that no corpus format recognizes."""
    if source.is_folder or not source.name.endswith(".json"):
        return False
    return bool(first_record(source)) and not any(
        registry.get(name).sniff(source) for name in registry.names()
    )


def _is_table(source: Source, options: InputOptions) -> bool:
    """Whether the file is a table of texts; a .csv file must be one."""
    names = column_names(source)
    if options.text not in names and suffix_of(source.path) == CSV:
        raise DataError(
            f"the table has no column {options.text!r}",
            path=source.path,
            hint=f"choose a column with --text-column; the columns are: {', '.join(names)}",
        )
    return options.text in names


def _guess(source: Source) -> str | None:
    try:
        return registry.guess(source).name
    except DataError:
        return None


def _plain(source: Source, name: str, options: InputOptions, context: Context) -> Iterator[Record]:
    """One text, or one per line; JSON on standard input is read as records."""

    def read_file(file: Source) -> list[Record]:
        return [Record(file.text(), {} if file.is_standard_input else {"doc": name})]

    def read_line(numbered: tuple[int, str | DataError]) -> list[Record]:
        number, line = numbered
        if isinstance(line, DataError):
            raise line
        return [Record(line, {} if source.is_standard_input else {"doc": f"{name}:{number}"})]

    if _is_whole(source, options):
        if options.whole is None:
            detail = "read as one text; --lines reads each line as a separate text"
            context.report.add("note", "hard-wrapped text", detail, path=source.path)
        yield from context.each([source], read_file)
        return
    if source.is_standard_input and source.begins_with_records():
        yield from _json_records(json_values(source), "-", options, context.report)
        return
    lines = source.lines_or_errors()
    for number, line in islice(lines, 1):
        lines = chain([(number, line)], lines)
        if source.is_standard_input and isinstance(line, str) and _is_record(line, options):
            yield from _json_records(_values(lines), "-", options, context.report)
            return
    yield from context.each(lines, read_line)


def _values(
    lines: Iterable[tuple[int, str | DataError]],
) -> Iterator[tuple[int, bytes | DataError]]:
    """Lines of JSON, encoded."""
    for number, line in lines:
        yield number, line if isinstance(line, DataError) else line.encode()


def _is_whole(source: Source, options: InputOptions) -> bool:
    if options.whole is not None or source.is_standard_input:
        return bool(options.whole)
    return is_hard_wrapped(source.head().decode(errors="replace").splitlines())


def _is_record(line: str, options: InputOptions) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(record, dict) and bool(record.keys() & {options.text, "tokens"})


def _json_records(
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
        return [_record(record, record, options, place)]

    yield from context.each(values, read)
    _end(context)


def _table(source: Source, options: InputOptions, report: Report) -> Iterator[Record]:
    settings = {**options.reading.settings, "text": options.text}
    context = Context(replace(options.reading.options, settings=settings), report, source.path)

    def read(numbered: tuple[int, Row | DataError]) -> list[Record]:
        line, row = numbered
        if isinstance(row, DataError):
            raise row
        place = context.at(line)
        return [_record(row, record_of(row, place), options, place)]

    yield from context.each(read_rows(source), read)
    _end(context)


def _end(context: Context) -> None:
    """All bad records in one error, unless they were to be skipped."""
    if context.problems.count and not context.options.skip_bad:
        raise context.problems.error()


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
    return Sentence(tokens, gaps=gaps, doc=_name(record.get("doc")))


def _corpus(source: Source, format: str, options: InputOptions, report: Report) -> Iterator[Record]:
    """A document of a raw-text format, or a sentence of a tokenized format."""
    reading = options.reading.with_tokenizer(options.tokenizer)
    # Splitting tokens at annotated entities would reveal them to the model.
    how = replace(reading, format=format, inside_token=reading.inside_token or "widen")
    sentences = read_corpus(source.path, how, report)
    if "tokens" in registry.get(format).holds:
        for sentence in sentences:
            yield Record(sentence, _keys(sentence))
        return
    is_chosen = "sentences" in reading.settings or reading.tokenizer != options.tokenizer
    alone = iter(range(1 << 62))
    for _, group in groupby(
        sentences, lambda s: next(alone) if s.doc is None else (s.doc, s.id, s.line)
    ):
        document = list(group)
        text = "".join(sentence.text for sentence in document)
        yield Record(document if is_chosen else text, _keys(document[0]))


def _name(value: Any) -> str | None:
    return None if value is None else str(value)


def _keys(sentence: Sentence) -> dict[str, Any]:
    doc = None if sentence.unnamed else sentence.doc
    names = {"id": sentence.id, "doc": doc}
    return {key: value for key, value in names.items() if value is not None} | sentence.extra


def _count(path: str, options: InputOptions) -> int | None:
    source = Source(path)
    if source.is_standard_input:
        return None
    folder = _text_files(source, options)
    if folder is not None:
        return len(folder) if options.whole is not False else None
    format = _format(source, options)
    if format in (TEXT, NATIVE):
        if format == TEXT and _is_whole(source, options):
            return 1
        if format == NATIVE and is_json_array(source):
            return None
        with source.open() as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    return None
