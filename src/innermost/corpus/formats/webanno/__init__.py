r"""WebAnno TSV 3, which INCEpTION reads and writes too::

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value

    #Text=the wife of Bob
    1-1	0-3	the	PER[1]
    1-2	4-8	wife	PER[1]
    1-3	9-11	of	PER[1]
    1-4	12-15	Bob	PER[1]|PER[2]

Cells with the same ``[n]`` belong to one annotation, ``|`` separates stacked ones, and a backslash
escapes special characters. Offsets count UTF-16 units; files that count characters are read too.
One file per document: a file or a folder, both when read and when written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.webanno.cells import values
from innermost.corpus.formats.webanno.layer import label_column, used_values
from innermost.corpus.formats.webanno.lines import Block, Column, File, Row, has_header, read_file
from innermost.corpus.formats.webanno.write import document_of_file, write
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.corpus.shared.utf16 import characters_of, has_wide, units_of
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span
from innermost.text.align import Offsets


class _WebAnno(Format):
    name = "webanno"
    description = "WebAnno/INCEpTION TSV 3, a file or a folder of them"
    suffixes = (".webanno.tsv",)
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id"})
    is_folder = True
    folder_suffixes = (".tsv",)
    reading_settings = ("layer", "feature")

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return any(has_header(file) for file in source.files(".tsv"))
        return has_header(source)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        files = source.files(".tsv") if source.is_folder else [source]
        if not files:
            raise context.wrong("the folder contains no .tsv files")
        labels = _LabelColumns(files, context)
        return context.each(files, lambda file: _read(file, labels, context.at(path=file.path)))

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write(sentences, path, context)


class _LabelColumns:
    """The column of labels, chosen once for all files with the same layers."""

    def __init__(self, files: Sequence[Source], context: Context) -> None:
        self._files = files
        self._context = context
        self._chosen: dict[tuple[Column, ...], int] = {}

    def of(self, file: File, context: Context) -> int:
        columns = tuple(file.columns)
        if columns not in self._chosen:
            self._chosen[columns] = label_column(
                columns, context, lambda: used_values(self._alike(file))
            )
        return self._chosen[columns]

    def _alike(self, file: File) -> Iterator[File]:
        """All readable files with the same layers as this one."""
        if len(self._files) == 1:
            yield file
            return
        quiet = Context(self._context.options, Report(keep=0), self._context.path)
        for source in self._files:
            try:
                other = read_file(source, quiet)
            except DataError:
                continue
            if other.columns == file.columns:
                yield other


def _read(source: Source, labels: _LabelColumns, context: Context) -> Iterator[Sentence]:
    file = read_file(source, context)
    if not file.blocks:
        return iter(())
    document = _Document(
        doc=document_of_file(source.name),
        columns=file.columns,
        labels=labels.of(file, context),
        is_utf16=_counts_utf16(file.blocks),
    )

    def read(block: Block) -> list[Sentence]:
        for problem in block.problems:
            context.bad(problem)
        return [] if block.problems else [document.sentence(block, context)]

    return context.each(file.blocks, read)


@dataclass(slots=True)
class _Document:
    doc: str
    columns: list[Column]
    labels: int
    is_utf16: bool
    seen: set[str] = field(default_factory=set)
    """The numbers of annotations of the sentences so far."""

    def sentence(self, block: Block, context: Context) -> Sentence:
        tokens = [row for row in block.rows if not row.is_part]
        if not tokens or block.rows[0].is_part:
            raise context.wrong("part of a token without the token", line=block.rows[0].line)
        places = _places(block, self.is_utf16)
        for row, place in zip(block.rows, places, strict=True):
            if place is None:
                raise context.wrong(
                    f"{row.text!r} is not at {row.offsets[0]}-{row.offsets[1]} in #Text",
                    line=row.line,
                )
        located = {row.line: place for row, place in zip(block.rows, places, strict=True) if place}
        spans = self._spans(block.rows, located, context)
        self._report_others(block.rows, context)
        offsets = [located[row.line] for row in tokens]
        text = "\n".join(block.text)
        context = context.at(tokens[0].line)
        (sentence,) = sentences_from_text(text, spans, context, tokens=[offsets], doc=self.doc)
        sentence.id = block.id
        return sentence

    def _spans(self, rows: list[Row], places: dict[int, Offsets], context: Context) -> list[Span]:
        spans: list[Span] = []
        numbered: dict[tuple[str, str], list[Offsets]] = defaultdict(list)
        for row in rows:
            for label, number, is_empty in values(row.cells[self.labels]):
                if is_empty:
                    context.lost("annotation without a value", row.text, line=row.line)
                elif number is None:
                    spans.append(Span(*places[row.line], label))
                else:
                    numbered[number, label].append(places[row.line])
                    if number in self.seen and len(numbered[number, label]) == 1:
                        context.changed(
                            "entity across sentences",
                            f"{label}[{number}]: cut at the sentence boundary",
                            line=row.line,
                        )
        for (number, label), parts in numbered.items():
            spans.append(Span(min(s for s, _ in parts), max(e for _, e in parts), label))
            self.seen.add(number)
        return sorted(spans, key=lambda s: (s.start, -s.end))

    def _report_others(self, rows: list[Row], context: Context) -> None:
        """Report the values of other features, and the annotations of other layers."""
        layer = self.columns[self.labels].layer
        for row in rows:
            for index, (column, cell) in enumerate(zip(self.columns, row.cells, strict=True)):
                annotations = values(cell)
                if column.layer == layer:
                    # The annotation itself is read; a feature without a value is not a loss.
                    annotations = [value for value in annotations if not value.is_empty]
                if annotations and index != self.labels:
                    context.lost("other annotation", f"{column}: {cell[:40]}", line=row.line)


def _counts_utf16(blocks: Sequence[Block]) -> bool:
    """Whether the offsets count UTF-16 units, as the format specifies, or characters."""
    decisive = [b for b in blocks if b.rows and any(map(has_wide, b.text))]
    fits = {unit: sum(None not in _places(b, unit) for b in decisive) for unit in (True, False)}
    return fits[True] >= fits[False]


def _places(block: Block, is_utf16: bool) -> list[Offsets | None]:
    """The position of each row in the sentence's text; None if its text is not there."""
    text = "\n".join(block.text)
    first = block.rows[0]
    begin = text.find(first.text)
    if begin < 0:
        return [None] * len(block.rows)
    is_utf16 = is_utf16 and has_wide(text)
    characters = characters_of(text) if is_utf16 else {n: n for n in range(len(text) + 1)}
    shift = first.offsets[0] - (units_of(text[:begin]) if is_utf16 else begin)
    places: list[Offsets | None] = []
    for row in block.rows:
        start = characters.get(row.offsets[0] - shift)
        end = characters.get(row.offsets[1] - shift)
        is_there = start is not None and end is not None and text[start:end] == row.text
        places.append((start, end) if is_there and start is not None and end is not None else None)
    return places


FORMAT = _WebAnno()
