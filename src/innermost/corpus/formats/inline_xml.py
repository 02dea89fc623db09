"""Inline XML: entities are elements around their text::

    <corpus>
    <doc id="letter-7">
    <s>the <PER>wife of <PER>Bob</PER></PER></s>
    </doc>
    </corpus>

A label that is not a valid element name is written ``<entity label="...">``. Any element inside
``<s>`` is an entity; text outside ``<s>`` is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.bracketing import bracketed
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.crossings import without_crossings
from innermost.corpus.shared.text_documents import (
    read_one_sentence,
    report_tokens,
)
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.corpus.shared.xml_events import End, Start, Text, escaped, events, quoted
from innermost.errors import DataError
from innermost.files.source import BOM, Source, open_output
from innermost.nest import Span

_ELEMENT = re.compile(r"[^\W\d][\w.-]*")
_RESERVED = frozenset({"corpus", "doc", "s", "entity"})


class _InlineXml(Format):
    name = "xml"
    description = "inline XML: <s>the <PER>wife of <PER>Bob</PER></PER></s>"
    suffixes = (".xml",)
    holds = frozenset({"duplicates", "gaps", "doc", "id"})

    def sniff(self, source: Source) -> bool:
        head = source.head(1 << 12).removeprefix(BOM).lstrip()
        return head.startswith(b"<") and re.search(rb"<s[ >]", head) is not None

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        with source.open() as file:
            doc: str | None = None
            sentence: _Open | None = None
            for event in events(file, source.path):
                if sentence is None:
                    if isinstance(event, Start) and event.name == "s":
                        sentence = _Open(event, doc, context)
                    elif isinstance(event, Start) and event.name == "doc":
                        doc = event.attributes.get("id")
                    elif isinstance(event, End) and event.name == "doc":
                        doc = None
                    elif isinstance(event, Text) and event.text.strip():
                        error = context.wrong(
                            f"text outside a sentence: {event.text.strip()[:40]!r}",
                            line=event.line,
                            hint="put each sentence between <s> and </s>",
                        )
                        context.bad(error)
                elif isinstance(event, Start):
                    sentence.open(event)
                elif isinstance(event, Text):
                    sentence.add(event.text)
                elif not sentence.close():
                    yield from context.each([sentence], lambda s: [_finished(s, context)])
                    sentence = None

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        with open_output(path) as sink:
            sink.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<corpus>\n')
            doc: str | None = None
            for number, sentence in enumerate(sentences, start=1):
                report_unheld(sentence, number, context)
                try:
                    opening = (
                        "" if sentence.doc is None else f"<doc id={quoted(sentence.doc, '')}>\n"
                    )
                    line = _element(sentence, context)
                except DataError as error:
                    lose_sentence(sentence, number, error.message, context)
                    continue
                report_tokens([sentence], context, as_one_sentence=True)
                if sentence.doc != doc:
                    sink.write(b"" if doc is None else b"</doc>\n")
                    sink.write(opening.encode())
                    doc = sentence.doc
                sink.write(line.encode())
            sink.write(b"</corpus>\n" if doc is None else b"</doc>\n</corpus>\n")


class _Open:
    """A sentence that has not ended yet."""

    def __init__(self, start: Start, doc: str | None, context: Context) -> None:
        self.line = start.line
        self.doc = doc
        self.problem: DataError | None = None
        self.id = start.attributes.get("id")
        self.text = ""
        self.spans: list[Span] = []
        self._context = context
        self._around: list[tuple[str, int, int]] = []

    def open(self, start: Start) -> None:
        label = start.name
        if label == "entity":
            label = start.attributes.get("label", "")
            if not label:
                self._note("<entity> without a label", start.line)
        elif label in _RESERVED:
            self._note(f"<{label}> inside a sentence", start.line)
        self._around.append((label, len(self.text), start.line))

    def add(self, text: str) -> None:
        self.text += text

    def close(self) -> bool:
        """Close the innermost entity; False if there is none, which ends the sentence."""
        if not self._around:
            return False
        label, start, line = self._around.pop()
        if start == len(self.text):
            self._note(f"<{label}> contains no text", line)
        self.spans.append(Span(start, len(self.text), label))
        return True

    def _note(self, message: str, line: int) -> None:
        """Remember the first problem; it is raised once the end of the sentence is found."""
        self.problem = self.problem or self._context.wrong(message, line=line)


def _finished(opened: _Open, context: Context) -> Sentence:
    if opened.problem:
        raise opened.problem
    spans = sorted(opened.spans, key=lambda s: (s.start, -s.end))
    sentence = read_one_sentence(opened.text, spans, context.at(opened.line), doc=opened.doc)
    sentence.id = opened.id
    return sentence


def _element(sentence: Sentence, context: Context) -> str:
    path = context.path
    text, spans = text_of([sentence])
    # These fail before any span is reported as lost.
    escaped(text, path)
    name = "" if sentence.id is None else f" id={quoted(sentence.id, path)}"
    if sentence.gaps is None:
        text = text.removesuffix("\n")
    kept = without_crossings(spans, context, text=lambda s: text[s.start : s.end])
    content = bracketed(
        text, kept, plain=lambda t: escaped(t, path), opening=_opening, closing=_closing
    )
    return f"<s{name}>{content}</s>\n"


def _opening(label: str) -> str:
    return f"<{label}>" if _is_element(label) else f"<entity label={quoted(label, '')}>"


def _closing(label: str) -> str:
    return f"</{label}>" if _is_element(label) else "</entity>"


def _is_element(label: str) -> bool:
    return label.isascii() and _ELEMENT.fullmatch(label) is not None and label not in _RESERVED


FORMAT = _InlineXml()
