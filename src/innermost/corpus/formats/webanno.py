r"""WebAnno TSV 3, which INCEpTION reads and writes too::

    #FORMAT=WebAnno TSV 3.3
    #T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value

    #Text=the wife of Bob
    1-1	0-3	the	PER[1]
    1-2	4-8	wife	PER[1]
    1-3	9-11	of	PER[1]
    1-4	12-15	Bob	PER[1]|PER[2]

``[n]`` says which cells are one annotation, ``|`` stands between stacked ones, a backslash before a
character that would mean something else. Offsets count UTF-16 units. One file a document: read as a
file or a folder, written as a folder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_tokens
from innermost.corpus.shared.document_folders import FileNames, open_folder
from innermost.corpus.shared.text_documents import named_runs
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.errors import DataError
from innermost.files.source import Source
from innermost.nest import Span

_LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_TO_ESCAPE = re.compile(r"[\\\[\]|_;*]|->")
_TEXT_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})
_ESCAPED = re.compile(r"\\(->|.)")
_STACKED = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_NUMBERED = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_PLACE = re.compile(r"(\d+)-(\d+)(\.\d+)?")
_OFFSETS = re.compile(r"(\d+)-(\d+)")


class _WebAnno(Format):
    name = "webanno"
    description = "WebAnno/INCEpTION TSV 3, a file or a folder of them"
    suffixes = (".webanno.tsv",)
    reading_settings = ("layer", "feature")

    def sniff(self, source: Source) -> bool:
        if source.is_folder:
            return any(_has_header(file) for file in source.files(".tsv"))
        return _has_header(source)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        files = source.files(".tsv") if source.is_folder else [source]
        if not files:
            raise context.wrong("the folder holds no .tsv files")
        return context.each(files, lambda file: _read_file(file, context.at(path=file.path)))

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        number = 0
        with open_folder(path) as folder:
            names = FileNames(context)
            for doc, run in named_runs(sentences):
                writer = _Writer()
                with (folder / f"{names.of(doc)}.tsv").open("wb") as sink:
                    header = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={_LAYER}|value\n\n"
                    sink.write(header.encode())
                    for sentence in run:
                        number += 1
                        if not sentence.tokens:
                            lose_sentence(number, "it has no tokens", context)
                            continue
                        report_unheld(sentence, number, context, holds=("id", "doc", "gaps"))
                        sink.write(writer.block(sentence).encode())


@dataclass(slots=True)
class _Row:
    line: int
    offsets: tuple[int, int]
    text: str
    is_part: bool
    """Whether it is a part of the token before it."""
    cells: list[str]


@dataclass(slots=True)
class _Block:
    id: str | None = None
    text: list[str] = field(default_factory=list)
    rows: list[_Row] = field(default_factory=list)
    is_bad: bool = False


def _has_header(source: Source) -> bool:
    return source.head(64).removeprefix(b"\xef\xbb\xbf").startswith(b"#FORMAT=WebAnno TSV 3")


def _read_file(source: Source, context: Context) -> Iterator[Sentence]:
    doc = source.name.removesuffix(".tsv").removesuffix(".webanno")
    columns: list[tuple[str, str]] = []
    block = _Block()
    chosen: int | None = None
    seen: set[str] = set()
    for line, text in chain(source.text_lines(), [(0, "")]):
        if text.startswith("#T_"):
            columns += _columns_of(text)
        elif text.startswith("#Text="):
            block.text.append(_unescaped(text.removeprefix("#Text=")))
        elif not text.strip():
            if block.rows and not block.is_bad:
                chosen = _chosen_column(columns, context) if chosen is None else chosen
                try:
                    yield _sentence(block, columns, chosen, context, doc, seen)
                except DataError as error:
                    context.bad(error)
            if block.rows or block.is_bad:
                block = _Block()
        elif text.startswith("#Sentence.id="):
            block.id = _unescaped(text.removeprefix("#Sentence.id="))
        elif text.startswith("#"):
            if not text.startswith("#FORMAT="):
                context.lost("comment", text[:60], line=line)
        else:
            try:
                block.rows.append(_row(text, len(columns), context.at(line)))
            except DataError as error:
                context.bad(error)
                block.is_bad = True


def _columns_of(header: str) -> list[tuple[str, str]]:
    """The columns that a line of the header declares, as ``(layer, feature)``."""
    kind, _, rest = header.partition("=")
    layer, *features = rest.split("|")
    if kind == "#T_RL":
        return [(f"relation {layer}", feature) for feature in features]
    return [(layer, feature) for feature in features or [""]]


def _chosen_column(columns: list[tuple[str, str]], context: Context) -> int:
    """The column that holds the labels: named by the settings, else found by its name."""
    settings = context.options.settings
    layer, feature = settings.get("layer"), settings.get("feature")
    spans = [i for i, (name, _) in enumerate(columns) if not name.startswith("relation ")]
    fitting = [i for i in spans if layer is None or layer in columns[i][0]]
    if layer is None and len({columns[i][0] for i in fitting}) > 1:
        fitting = [i for i in fitting if "NamedEntity" in columns[i][0]]
    if feature is not None:
        fitting = [i for i in fitting if columns[i][1] == feature]
    elif len(fitting) > 1:
        fitting = [i for i in fitting if columns[i][1] in ("value", "label")]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(f"{columns[i][0]}|{columns[i][1]}" for i in spans) or "none"
    raise context.wrong(
        "cannot tell which layer and feature hold the labels of entities",
        hint=f"set layer and feature; the file has: {known}",
    )


def _row(text: str, columns: int, context: Context) -> _Row:
    parts = text.split("\t")
    place = _PLACE.fullmatch(parts[0])
    offsets = _OFFSETS.fullmatch(parts[1]) if len(parts) > 2 else None
    # A TAB after the last cell is usual, but some writers leave it out.
    cells = parts[3 : 3 + columns]
    if place is None or offsets is None or len(cells) < columns or context.line is None:
        raise context.wrong(
            f"expected a token, its offsets, its text and {columns} columns: {text[:60]!r}",
            hint="1-1 TAB 0-3 TAB the TAB ...",
        )
    span = int(offsets[1]), int(offsets[2])
    return _Row(context.line, span, _unescaped(parts[2]), place[3] is not None, cells)


def _sentence(
    block: _Block,
    columns: list[tuple[str, str]],
    chosen: int,
    context: Context,
    doc: str,
    seen: set[str],
) -> Sentence:
    tokens = [row for row in block.rows if not row.is_part]
    text, base = _text(block, tokens, context)
    units = text.encode("utf-16-le")
    places: dict[int, tuple[int, int]] = {}
    for row in block.rows:
        start, end = row.offsets[0] - base, row.offsets[1] - base
        if units[2 * start : 2 * end] != row.text.encode("utf-16-le"):
            raise context.wrong(
                f"{row.text!r} is not at {row.offsets[0]}-{row.offsets[1]} in #Text", line=row.line
            )
        first = len(units[: 2 * start].decode("utf-16-le"))
        places[row.line] = first, first + len(row.text)
    spans = _spans(block.rows, chosen, places, context, seen)
    for row in block.rows:
        for (layer, feature), cell in zip(columns, row.cells, strict=True):
            if cell != "_" and (layer, feature) != columns[chosen]:
                detail = f"{layer}|{feature}: {cell[:40]}"
                context.lost("other annotation", detail, line=row.line)
    offsets = [places[row.line] for row in tokens]
    place = context.at(tokens[0].line)
    (made,) = sentences_from_tokens(text, [offsets], spans, place, doc=doc)
    made.id = block.id
    return made


def _text(block: _Block, tokens: list[_Row], context: Context) -> tuple[str, int]:
    """The sentence's text, and the offset at which it begins in the document."""
    text = "\n".join(block.text)
    first = block.rows[0]
    if not tokens or first.is_part:
        raise context.wrong("a part of a token without the token", line=first.line)
    place = text.find(first.text)
    if place < 0:
        raise context.wrong(
            f"the token {first.text!r} is not in the #Text of its sentence", line=first.line
        )
    return text, first.offsets[0] - len(text[:place].encode("utf-16-le")) // 2


def _spans(
    rows: list[_Row],
    chosen: int,
    places: dict[int, tuple[int, int]],
    context: Context,
    seen: set[str],
) -> list[Span]:
    spans: list[Span] = []
    numbered: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        cell = row.cells[chosen]
        if cell == "_":
            continue
        for value in _stacked(cell):
            match = _NUMBERED.fullmatch(value)
            written = match[1] if match else value
            label = _unescaped(written)
            if written == "*":
                context.lost("annotation without a value", row.text, line=row.line)
            elif match:
                numbered[match[2], label].append(places[row.line])
                if match[2] in seen and len(numbered[match[2], label]) == 1:
                    context.changed(
                        "entity across sentences",
                        f"{label}[{match[2]}]: cut at the border",
                        line=row.line,
                    )
            else:
                spans.append(Span(*places[row.line], label))
    for (number, label), parts in numbered.items():
        spans.append(Span(min(s for s, _ in parts), max(e for _, e in parts), label))
        seen.add(number)
    return sorted(spans, key=lambda s: (s.start, -s.end))


class _Writer:
    """Counts the sentences, the characters and the annotations of one document."""

    def __init__(self) -> None:
        self._sentences = 0
        self._position = 0
        self._annotations = 0

    def block(self, sentence: Sentence) -> str:
        self._sentences += 1
        labels: list[list[str]] = [[] for _ in sentence.tokens]
        for start, end, label in sorted(sentence.entities, key=lambda s: (s.start, -s.end)):
            self._annotations += 1
            for cell in labels[start:end]:
                cell.append(f"{_escaped(label)}[{self._annotations}]")
        text = sentence.text if sentence.gaps is not None else sentence.text.removesuffix("\n")
        lines = [] if sentence.id is None else [f"#Sentence.id={_escaped_text(sentence.id)}"]
        lines.append(f"#Text={_escaped_text(text)}")
        position = self._position
        gaps = sentence.filled_gaps()
        for index, token in enumerate(sentence.tokens):
            start = position + _units(gaps[index])
            position = start + _units(token)
            lines.append(
                f"{self._sentences}-{index + 1}\t{start}-{position}\t{_escaped_text(token)}\t"
                f"{'|'.join(labels[index]) or '_'}\t"
            )
        self._position += _units(text) + (sentence.gaps is None)
        return "".join(f"{line}\n" for line in [*lines, ""])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _stacked(cell: str) -> list[str]:
    parts: list[str] = []
    rest = cell
    while match := _STACKED.search(rest):
        parts.append(rest[: match.end() - 1])
        rest = rest[match.end() :]
    return [*parts, rest]


def _escaped(label: str) -> str:
    return _TO_ESCAPE.sub(lambda match: "\\" + match[0], label)


def _escaped_text(text: str) -> str:
    return text.translate(_TEXT_ESCAPES)


def _unescaped(text: str) -> str:
    names = {"n": "\n", "r": "\r", "t": "\t"}
    return _ESCAPED.sub(lambda match: names.get(match[1], match[1]), text)


FORMAT = _WebAnno()
