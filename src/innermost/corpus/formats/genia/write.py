"""Sentences as GENIA's merged XML: terms around tokens."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.unsupported import report_unheld
from innermost.corpus.shared.xml_events import escaped, quoted
from innermost.nest import Span, crossing

_OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n<set>\n'


def write_merged(sentences: Iterable[Sentence], sink: IO[bytes], context: Context) -> None:
    """One article a document; the first sentence that ends its line is the last of the title."""
    path = context.path
    numbers = count(1)
    sink.write(_OPENING.encode())
    for doc, run in documents(sentences):
        medline = escaped(f"MEDLINE:{doc}" if doc else "", path)
        lines = [f"<article>\n<articleinfo>\n<bibliomisc>{medline}</bibliomisc>\n</articleinfo>"]
        title = _title_length(run)
        for index, sentence in enumerate(run, start=1):
            report_unheld(sentence, next(numbers), context, holds=("doc", "gaps"))
            gap = "" if index == len(run) else "\n" if index == title else " "
            if sentence.gaps is not None and sentence.gaps[-1] != gap:
                found = f"{sentence.gaps[-1]!r} becomes {gap!r}"
                context.changed("white space between sentences", found)
        for name, part in (("title", run[:title]), ("abstract", run[title:])):
            if part:
                body = "\n".join(_sentence(sentence, context) for sentence in part)
                lines.append(f"<{name}>\n{body}\n</{name}>")
        sink.write("\n".join([*lines, "</article>\n"]).encode())
    sink.write(b"</set>\n")


def _title_length(run: list[Sentence]) -> int:
    for index, sentence in enumerate(run[:-1]):
        if sentence.gaps and sentence.gaps[-1].endswith("\n"):
            return index + 1
    return 0


def _sentence(sentence: Sentence, context: Context) -> str:
    path = context.path
    opening: list[list[Span]] = [[] for _ in sentence.tokens]
    closing = [0] * len(sentence.tokens)
    for span in _nested(sentence, context):
        opening[span.start].append(span)
        closing[span.end - 1] += 1
    pieces = ["<sentence>"]
    for token, gap, spans, closed in zip(
        sentence.tokens, sentence.filled_gaps(), opening, closing, strict=False
    ):
        pieces.append(escaped(gap, path))
        pieces += [f"<cons sem={quoted(f'G#{span.label}', path)}>" for span in spans]
        pieces.append(f'<w c="*">{escaped(token, path)}</w>')
        pieces.append("</cons>" * closed)
    pieces.append("</sentence>")
    return "".join(pieces)


def _nested(sentence: Sentence, context: Context) -> list[Span]:
    """The entities as tags can hold them: outer before inner, none crossing another.

    Of equal stretches the first closes first, so that the order comes back as it was.
    """
    order = sorted(enumerate(sentence.entities), key=lambda pair: (*_place(pair[1]), -pair[0]))
    kept: list[Span] = []
    for _, span in order:
        if any(crossing(span, other) for other in kept):
            context.lost("crossing entity", f"{span} in {sentence.text!r}")
        else:
            kept.append(span)
    return kept


def _place(span: Span) -> tuple[int, int]:
    return span.start, -span.end
