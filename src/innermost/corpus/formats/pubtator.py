"""PubTator: the title, the abstract and the mentions of each document, and a blank line::

    26094|t|IL-2 gene expression
    26094|a|It needs NF-kappa B.
    26094	0	9	IL-2 gene	DNA
    26094	30	40	NF-kappa B	Protein	C001

Offsets count characters of the title, one character between title and abstract, and the abstract.
A text of several lines is written with a passage for each. Identifiers of concepts and relations
are not read, which is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import split_text
from innermost.corpus.shared.text_documents import (
    TextRecord,
    read_named_text,
    report_tokens,
    text_records,
)
from innermost.corpus.shared.unsupported import lose_sentence
from innermost.errors import DataError
from innermost.files.source import Source, open_output
from innermost.nest import Span
from innermost.text import Offsets

_PASSAGE = re.compile(r"([^|\t]+)\|(\w+)\|(.*)", re.DOTALL)
_SHOWN = 60


@dataclass(slots=True)
class _Document:
    line: int
    name: str
    passages: list[str] = field(default_factory=list)
    mentions: list[tuple[int, list[str]]] = field(default_factory=list)
    """Line numbers and columns, of relations too."""


class _PubTator(Format):
    name = "pubtator"
    description = "PubTator: titles, abstracts and mentions, as in BC5CDR and NCBI Disease"
    suffixes = (".pubtator", ".pubtator.txt")
    holds = frozenset({"crossings", "duplicates", "gaps", "doc"})
    reading_settings = writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        lines = source.head_text().split("\n")
        first = next((line for line in lines if line.strip()), "")
        match = _PASSAGE.fullmatch(first)
        return match is not None and match[2] == "t"

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return context.each(
            _documents(source, context), lambda document: _sentences(document, context)
        )

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        written = 0
        with open_output(path) as sink:
            for number, document in enumerate(text_records(sentences, context), start=1):
                first, written = written + 1, written + len(document.sentences)
                if "\r" in document.text:
                    why = "its document has a carriage return"
                    for position, sentence in enumerate(document.sentences, start=first):
                        lose_sentence(sentence, position, why, context)
                    continue
                report_tokens(document.sentences, context, split=_split)
                sink.write(_written(document, number, context).encode())


def _documents(source: Source, context: Context) -> Iterator[_Document]:
    """The lines of each document, which another name begins even without a blank line."""
    document: _Document | None = None
    for number, line in source.text_lines():
        passage = _PASSAGE.fullmatch(line)
        if document and (not line or (passage and passage[1] != document.name)):
            yield document
            document = None
        if passage:
            document = document or _Document(number, passage[1])
            document.passages.append(passage[3])
        elif line:
            columns = line.split("\t")
            if document is None or columns[0] != document.name:
                context.bad(_stray(line, context.at(number)))
            else:
                document.mentions.append((number, columns))
    if document:
        yield document


def _stray(line: str, context: Context) -> DataError:
    return context.wrong(
        f"neither a passage nor a mention of the document above: {line[:_SHOWN]!r}",
        hint="a passage is ID|t|TEXT or ID|a|TEXT; a mention is ID, start, end, text and type, "
        "separated by TABs",
    )


def _sentences(document: _Document, context: Context) -> list[Sentence]:
    """The sentences; none, once all bad mentions are recorded, if there are any."""
    text = "\n".join(document.passages)

    def mention(row: tuple[int, list[str]]) -> list[Span]:
        line, columns = row
        return _mention(columns, text, context.at(line))

    problems = context.problems.count
    spans = list(context.each(document.mentions, mention))
    if context.problems.count > problems:
        return []
    return read_named_text(
        text,
        spans,
        context.at(document.line),
        id=None,
        doc=document.name,
        extra={},
        scores={},
        tokens=_split(text, context.at(document.line)),
    )


def _split(text: str, context: Context) -> list[Sequence[Offsets]]:
    """The tokens of each sentence. The first line is the title, which often has no full stop."""
    title, line_break, abstract = text.partition("\n")
    of_title = split_text(title, context)
    of_abstract = split_text(abstract, context) if line_break else ()
    first = len(title) + 1
    moved = [[(first + start, first + end) for start, end in tokens] for tokens in of_abstract]
    return [*of_title, *moved]


def _mention(columns: list[str], text: str, context: Context) -> list[Span]:
    """The entity of a line; none for a relation."""
    match columns:
        case [_, start, end, words, label, *concepts] if start.isdecimal() and end.isdecimal():
            span = Span(int(start), int(end), label.strip())
        case [_, kind, *_] if not kind.isdecimal():
            context.lost("relation", " ".join(columns[1:])[:_SHOWN])
            return []
        case _:
            raise context.wrong(
                f"a mention has an identifier, start, end, text and type, found {columns!r}"[:200]
            )
    there = text[span.start : span.end]
    if span.end > len(text) or there.split() != words.split():
        raise context.wrong(
            f"the mention says {words!r}, the text has {there!r} at [{start}, {end})",
            hint="offsets count characters of the title, one more, and those of the abstract",
        )
    if any(concept.strip() for concept in concepts):
        context.lost("normalization", " ".join(concepts)[:_SHOWN])
    return [span]


def _written(document: TextRecord, number: int, context: Context) -> str:
    name = _name(document.doc, number, context)
    passages = document.text.split("\n")
    kinds = ["t", *"a" * (len(passages) - 1)]
    lines = [f"{name}|{kind}|{text}" for kind, text in zip(kinds, passages, strict=True)]
    for start, end, label in document.spans:
        words = " ".join(document.text[start:end].split())
        lines.append(f"{name}\t{start}\t{end}\t{words}\t{label}")
    return "\n".join(lines) + "\n\n"


def _name(doc: str | None, number: int, context: Context) -> str:
    """The name of the document, or its number if PubTator cannot hold the name."""
    passage = _PASSAGE.fullmatch(f"{doc}|t|")
    if doc is not None and passage and passage[1] == doc and "\n" not in doc and doc.strip():
        return doc
    context.changed("document name", f"document {number} gets the name {number}")
    return str(number)


FORMAT = _PubTator()
