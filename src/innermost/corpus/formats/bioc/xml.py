"""BioC's XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.formats.bioc.meaning import TYPE, sentences_of
from innermost.corpus.formats.bioc.structure import Annotation, Document, Infons, Passage, Piece
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.text_documents import TextRecord, report_tokens, text_records
from innermost.corpus.shared.unsupported import lose_sentence
from innermost.corpus.shared.xml_events import End, Start, escaped, events, unwritable
from innermost.files.source import BOM, Source, open_output

_ROOT = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?<collection[\s>]")
_NUMBER = re.compile(r"\s*\d{1,18}\s*")


def is_bioc(source: Source) -> bool:
    return _ROOT.match(source.head().removeprefix(BOM)) is not None


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[_Element] = field(default_factory=list)

    def named(self, name: str) -> list[_Element]:
        return [child for child in self.children if child.name == name]

    def child_text(self, name: str) -> str | None:
        return next((child.text for child in self.named(name)), None)

    @property
    def infons(self) -> Infons:
        return {e.attributes.get("key", ""): e.text for e in self.named("infon")}


def xml_sentences(source: Source, context: Context) -> Iterator[Sentence]:
    def sentences(element: _Element) -> list[Sentence]:
        place = context.at(element.line)
        return sentences_of(_document(element, place), place)

    yield from context.each(_documents(source), sentences)


def _documents(source: Source) -> Iterator[_Element]:
    opened: list[_Element] = []
    with source.open() as file:
        for event in events(file, source.path):
            if isinstance(event, Start):
                element = _Element(event.name, event.attributes, event.line)
                if opened:
                    opened[-1].children.append(element)
                if opened or event.name == "document":
                    opened.append(element)
            elif not opened:
                continue
            elif isinstance(event, End):
                element = opened.pop()
                if not opened:
                    yield element
            else:
                opened[-1].text += event.text


def _document(element: _Element, context: Context) -> Document:
    document = Document(element.line, element.child_text("id") or "", infons=[element.infons])
    document.relations = len(element.named("relation"))
    for child in element.named("passage"):
        passage = Passage()
        document.passages.append(passage)
        for part in (child, *child.named("sentence")):
            document.infons.append(part.infons)
            document.relations += len(part.named("relation"))
            if (text := part.child_text("text")) is not None:
                offset = _number(part.child_text("offset"), part, context)
                passage.pieces.append(Piece(offset, text, is_sentence=part is not child))
            passage.annotations += [_annotation(e, context) for e in part.named("annotation")]
    if element.named("annotation"):
        raise context.wrong("an annotation outside a passage")
    return document


def _annotation(element: _Element, context: Context) -> Annotation:
    locations = [
        (
            _number(location.attributes.get("offset"), location, context),
            _number(location.attributes.get("length"), location, context),
        )
        for location in element.named("location")
    ]
    return Annotation(element.line, element.infons, locations, element.child_text("text"))


def _number(text: str | None, element: _Element, context: Context) -> int:
    if text is None or not _NUMBER.fullmatch(text):
        raise context.wrong(
            f"<{element.name}> needs a number as its offset or length, found {text!r}"[:200],
            line=element.line,
        )
    return int(text)


def write_xml(sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
    written = 0
    with open_output(path) as sink:
        sink.write(
            b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
            b"<collection>\n<source>innermost</source><date></date><key></key>\n"
        )
        for document in text_records(sentences, context):
            first, written = written + 1, written + len(document.sentences)
            if why := unwritable(document.text + (document.doc or "")):
                for number, sentence in enumerate(document.sentences, start=first):
                    lose_sentence(sentence, number, f"its document: {why}", context)
                continue
            report_tokens(document.sentences, context)
            sink.write(_written(document, context.path).encode())
        sink.write(b"</collection>\n")


def _written(document: TextRecord, path: str) -> str:
    lines = [
        f"<document><id>{escaped(document.doc or '', path)}</id>",
        f"<passage><offset>0</offset><text>{escaped(document.text, path)}</text>",
    ]
    for number, (start, end, label) in enumerate(document.spans, start=1):
        lines.append(
            f'<annotation id="{number}"><infon key="{TYPE}">{escaped(label, path)}</infon>'
            f'<location offset="{start}" length="{end - start}"/>'
            f"<text>{escaped(document.text[start:end], path)}</text></annotation>"
        )
    return "\n".join([*lines, "</passage></document>\n"])
