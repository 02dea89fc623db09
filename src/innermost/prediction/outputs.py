"""Outputs of predictions: for humans, one record per input record, or any corpus format."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import msgspec
from rich.console import Console

from innermost.corpus import Options, Report, Sentence, registry, write
from innermost.document import Document
from innermost.errors import UsageError
from innermost.files.source import open_output, plain_name
from innermost.files.tables import suffix_of, table_writer
from innermost.prediction.inputs import Record
from innermost.prediction.unique_names import UniqueNames

Result = tuple[Record, Document]
Runs = Iterable[list[Result]]
"""Results as they arrive, several at a time; each run is written at once."""

PRETTY, JSONL, JSON, HTML, SVG = "pretty", "jsonl", "json", "html", "svg"
TABLES = ("csv", "tsv", "parquet")
_ALIASES = {"iob": "columns", "native": JSONL, "table": "csv"}
_SUFFIXES = {
    ".txt": PRETTY,
    ".html": HTML,
    ".svg": SVG,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".json": JSON,
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}
_FILE_WIDTH, _USUAL_WIDTH = 100, 80


def format_names() -> list[str]:
    """All values of ``--format``."""
    corpora = (name for name in registry.names() if name not in _ALIASES)
    return [PRETTY, JSONL, JSON, HTML, SVG, *TABLES, "iob", *corpora]


def choose_format(format: str | None, path: str) -> str:
    """The requested format, else the one for the name of the output."""
    if format is not None:
        if format not in (*format_names(), *_ALIASES):
            known = ", ".join(format_names())
            raise UsageError(f"unknown format {format!r}", hint=f"one of: {known}")
        return _ALIASES.get(format, format)
    if path == "-":
        return PRETTY
    by_name = format_of_path(path)
    if by_name is None:
        raise UsageError(
            f"the name {path} does not determine the output format",
            hint=f"--format takes one of: {', '.join(format_names())}",
        )
    return by_name


def format_of_path(path: str) -> str | None:
    """The format of an output with this name; a folder is brat, as in ``registry.for_output``."""
    by_suffix = None if registry.ends_as_folder(path) else format_of_name(path)
    return "brat" if by_suffix is None and registry.is_folder(path) else by_suffix


def format_of_name(path: str) -> str | None:
    """The format that the suffix of a file name selects, if any."""
    corpora = {suffix: name for name in registry.names() for suffix in registry.get(name).suffixes}
    formats = {**corpora, **_SUFFIXES}
    suffixes = [suffix for suffix in formats if plain_name(path).endswith(suffix)]
    return formats[max(suffixes, key=len)] if suffixes else None


def check_destination(format: str, path: str) -> None:
    """Refuse to write a format that is a folder of files to standard output."""
    if path == "-" and format in registry.names() and registry.get(format).is_folder:
        raise UsageError(f"{format} is a folder of files", hint="name it: --output FOLDER")


@dataclass(slots=True)
class Writer:
    """Writes results in one format, and counts them."""

    format: str
    path: str
    model: str
    """Its name, for pages and pictures."""
    tokenizer: str
    report: Report
    sections: bool = False
    """Whether to show which file a text is from."""
    texts: int = field(default=0, init=False)
    entities: int = field(default=0, init=False)

    def write(self, runs: Runs) -> None:
        runs = self._counted(runs)
        if self.format in TABLES:
            self._write_table(runs)
        elif self.format in (PRETTY, JSONL, JSON, HTML, SVG):
            ways = {PRETTY: self._pretty, JSONL: _json_lines, JSON: _json_array}
            ways |= {HTML: self._html, SVG: self._svg}
            parts = ways[self.format](runs)
            with open_output(self.path) as sink:
                for part in parts:
                    sink.write(part)
                    sink.flush()
        else:
            self._write_corpus(result for run in runs for result in run)

    def _counted(self, runs: Runs) -> Iterator[list[Result]]:
        for run in runs:
            self.texts += len(run)
            self.entities += sum(len(document.entities) for _, document in run)
            yield run

    def _write_table(self, runs: Runs) -> None:
        def lost(key: str) -> None:
            self.report.lost("key without a column", f"{key!r}: the first records do not have it")

        kind = suffix_of(self.path) or f".{self.format}"
        with open_output(self.path) as sink, table_writer(sink, kind, lost) as write_rows:
            for run in runs:
                write_rows(output_record(*result) for result in run)
                sink.flush()

    def _write_corpus(self, results: Iterable[Result]) -> None:
        results = iter(results)
        first = list(islice(results, 1))
        of_texts = not any(isinstance(record.item, Sentence) for record, _ in first)
        settings = {"record": "document"} if self.format == "prodigy" and of_texts else {}
        options = Options(tokenizer=self.tokenizer, settings=settings)
        sentences = self._sentences(chain(first, results))
        write(sentences, self.path, format=self.format, options=options, report=self.report)

    def _sentences(self, results: Iterable[Result]) -> Iterator[Sentence]:
        """The sentences of all texts; only a folder of documents can store one without words."""
        names = _Names(self.format)
        for number, (record, document) in enumerate(results, start=1):
            sentences = names.sentences(record, document)
            if self.format != "brat":
                sentences = [sentence for sentence in sentences if sentence.tokens]
            yield from sentences
            if not sentences:
                name = record.doc or record.id or f"text {number}"
                detail = f"{name}: the format {self.format} cannot store it"
                self.report.lost("text without words", detail, path=self.path)

    def _html(self, runs: Runs) -> Iterator[bytes]:
        from innermost.rendering.html import page

        parts = page(_headed(runs), "Nested entities", f"Predicted by the model {self.model}.")
        return (part.encode() for part in parts)

    def _svg(self, runs: Runs) -> Iterator[bytes]:
        from innermost.rendering.svg import picture

        yield picture(_headed(runs), f"Nested entities predicted by {self.model}").encode()

    def _pretty(self, runs: Runs) -> Iterator[bytes]:
        from rich.text import Text

        from innermost.rendering.terminal import draw

        console = drawing_console(to_file=self.path != "-")
        section: str | None = None
        for run in runs:
            with console.capture() as captured:
                for record, document in run:
                    file = (record.doc or "").rpartition(":")[0] or record.doc
                    if self.sections and file != section:
                        console.print(Text(f"--- {file or '-'}", style="dim"), soft_wrap=True)
                        section = file
                    for line in draw(document, console.width):
                        console.print(line, soft_wrap=True)
                    console.print()
            yield captured.get().encode(errors="replace")


def drawing_console(*, to_file: bool) -> Console:
    """A console for text drawings: a file gets no colors and a fixed width."""
    if to_file:
        return Console(file=io.StringIO(), width=_FILE_WIDTH, color_system=None)
    console = Console()
    # COLUMNS=0 means that the width is unknown.
    return console if console.width > 0 else Console(width=_USUAL_WIDTH)


def output_record(record: Record, document: Document) -> dict[str, Any]:
    """The object of a result: all keys of its source, the text, and the entities."""
    entities: list[dict[str, Any]] = [entity.to_dict() for entity in document.entities]
    result = dict(record.keys)
    if record.tokens is not None:
        result.setdefault("tokens", record.tokens)
        for entity, found in zip(entities, document.entities, strict=True):
            entity |= {"token_start": found.token_start, "token_end": found.token_end}
    result[record.text_key] = document.text
    result["entities"] = entities
    return result


def _headed(runs: Runs) -> Iterator[tuple[str | None, Document]]:
    """The documents, each name given once, with its first text."""
    last = None
    for run in runs:
        for record, document in run:
            yield (None if record.doc == last else record.doc), document
            last = record.doc


def _json_lines(runs: Runs) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    for run in runs:
        yield b"".join(encode(output_record(*result)) + b"\n" for result in run)


def _json_array(runs: Runs) -> Iterator[bytes]:
    encode = msgspec.json.Encoder().encode
    separator = b"[\n"
    for run in runs:
        for result in run:
            yield separator + encode(output_record(*result))
            separator = b",\n"
    yield b"\n]\n" if separator == b",\n" else b"[]\n"


class _Names:
    """Documents and their names for corpus formats: each text is a separate document."""

    def __init__(self, format: str) -> None:
        self._must_be_named = format == "brat"
        self._names = UniqueNames()
        self._number = 0

    def sentences(self, record: Record, document: Document) -> list[Sentence]:
        self._number += 1
        is_part = isinstance(record.item, Sentence)  # a sentence, of a document or not
        name = record.doc if is_part else self._unique(record)
        id = None if self._must_be_named and not is_part else record.id
        sentences = document.to_sentences(id=id, doc=name, extra=record.extra)
        for sentence in sentences:
            sentence.unnamed = not is_part and record.doc is None and not self._must_be_named
        return sentences

    def _unique(self, record: Record) -> str:
        doc = record.doc
        if doc is not None and self._must_be_named:
            doc = file_name(doc)
        name = doc or record.id or str(self._number)
        return self._names.take(name, f"{name}-{record.id or self._number}")


def file_name(doc: str) -> str:
    """``news.txt`` is written to ``news.ann``, its third line to ``news-3.ann``."""
    file, colon, line = doc.rpartition(":")
    if colon and line.isdigit() and file.endswith(".txt"):
        return f"{file.removesuffix('.txt')}-{line}"
    return doc.removesuffix(".txt")
