"""Inline XML: entities are elements around their text::

    <corpus>
    <doc id="letter-7">
    <s>the <PER>wife of <PER>Bob</PER></PER></s>
    </doc>
    </corpus>

A label that is no name of an XML element is written ``<entity label="...">``. Any element inside
``<s>`` is an entity; without an ``<s>`` around it, text is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.bracketing import bracketed
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.text_documents import (
    read_one_sentence,
    report_tokens,
    without_crossings,
)
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.corpus.shared.xml_events import End, Start, Text, escaped, events, quoted
from innermost.errors import DataError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_ELEMENT = re.compile(r"[^\W\d][\w.-]*")
_RESERVED = frozenset({"corpus", "doc", "s", "entity"})


class _InlineXml:
    name = "xml"
    description = "inline XML: <s>the <PER>wife of <PER>Bob</PER></PER></s>"
    suffixes = (".xml",)

    def sniff(self, source: Source) -> bool:
        head = source.head(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip()
        return head.startswith(b"<") and re.search(rb"<s[ >]", head) is not None

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        options.check_settings(self.name, ())
        with source.open() as file:
            doc: str | None = None
            sentence: _Open | None = None
            for event in events(file, source.path):
                if sentence is None:
                    if isinstance(event, Start) and event.name == "s":
                        sentence = _Open(event, source.path)
                    elif isinstance(event, Start) and event.name == "doc":
                        doc = event.attributes.get("id")
                    elif isinstance(event, End) and event.name == "doc":
                        doc = None
                    elif isinstance(event, Text) and event.text.strip():
                        raise DataError(
                            f"text outside of a sentence: {event.text.strip()[:40]!r}",
                            path=source.path,
                            line=event.line,
                            hint="put each sentence between <s> and </s>",
                        )
                elif isinstance(event, Start):
                    sentence.open(event)
                elif isinstance(event, Text):
                    sentence.add(event.text)
                elif not sentence.close():
                    yield _finished(sentence, doc, options, report, source.path)
                    sentence = None

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        options.check_settings(self.name, ())
        with open_output(path) as sink:
            sink.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<corpus>\n')
            doc: str | None = None
            for number, sentence in enumerate(sentences, start=1):
                report_unheld(sentence, number, path, report, holds=("id", "doc", "gaps"))
                try:
                    line = _element(sentence, path, report)
                    opening = (
                        "" if sentence.doc is None else f"<doc id={quoted(sentence.doc, '')}>\n"
                    )
                except DataError as error:
                    lose_sentence(number, error.message, path, report)
                    continue
                report_tokens([sentence], options, report, path, as_one_sentence=True)
                if sentence.doc != doc:
                    sink.write(b"" if doc is None else b"</doc>\n")
                    sink.write(opening.encode())
                    doc = sentence.doc
                sink.write(line.encode())
            sink.write(b"</corpus>\n" if doc is None else b"</doc>\n</corpus>\n")


class _Open:
    """A sentence whose end has not come yet."""

    def __init__(self, start: Start, path: str) -> None:
        self.line = start.line
        self.id = start.attributes.get("id")
        self.text = ""
        self.spans: list[Span] = []
        self._path = path
        self._around: list[tuple[str, int, int]] = []

    def open(self, start: Start) -> None:
        label = start.name
        if label == "entity":
            label = start.attributes.get("label", "")
            if not label:
                raise DataError("<entity> without a label", path=self._path, line=start.line)
        elif label in _RESERVED:
            raise DataError(f"<{label}> inside a sentence", path=self._path, line=start.line)
        self._around.append((label, len(self.text), start.line))

    def add(self, text: str) -> None:
        self.text += text

    def close(self) -> bool:
        """Close the innermost entity; False when there is none, so that the sentence is over."""
        if not self._around:
            return False
        label, start, line = self._around.pop()
        if start == len(self.text):
            raise DataError(f"<{label}> holds no text", path=self._path, line=line)
        self.spans.append(Span(start, len(self.text), label))
        return True


def _finished(
    sentence: _Open, doc: str | None, options: Options, report: Report, path: str
) -> Sentence:
    spans = sorted(sentence.spans, key=lambda s: (s.start, -s.end))
    made = read_one_sentence(
        sentence.text, spans, options, report, path=path, doc=doc, line=sentence.line
    )
    made.id = sentence.id
    return made


def _element(sentence: Sentence, path: Path | str, report: Report) -> str:
    text, spans = text_of([sentence])
    escaped(text, str(path))  # a sentence that XML cannot hold loses no spans besides
    if sentence.gaps is None:
        text = text.removesuffix("\n")
    kept = without_crossings(spans, text, path, report)
    content = bracketed(
        text, kept, plain=lambda t: escaped(t, str(path)), opening=_opening, closing=_closing
    )
    name = "" if sentence.id is None else f" id={quoted(sentence.id, str(path))}"
    return f"<s{name}>{content}</s>\n"


def _opening(label: str) -> str:
    return f"<{label}>" if _is_element(label) else f"<entity label={quoted(label, '')}>"


def _closing(label: str) -> str:
    return f"</{label}>" if _is_element(label) else "</entity>"


def _is_element(label: str) -> bool:
    return label.isascii() and _ELEMENT.fullmatch(label) is not None and label not in _RESERVED


FORMAT = _InlineXml()
