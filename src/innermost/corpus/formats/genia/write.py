"""Write sentences as GENIA's merged XML: terms around tokens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import count
from typing import IO

from innermost.corpus.context import Context
from innermost.corpus.formats.genia.labels import escaped_label
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.crossings import without_crossings
from innermost.corpus.shared.unsupported import lose_sentence, report_unheld
from innermost.corpus.shared.xml_events import escaped, quoted, unwritable
from innermost.nest import Span

_BLANK = re.compile(r"[^\S\u00a0]")
_OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n<set>\n'


def write_merged(sentences: Iterable[Sentence], sink: IO[bytes], context: Context) -> None:
    """One article per document; the title ends with the first sentence that ends its line."""
    path = context.path
    numbers = count(1)
    sink.write(_OPENING.encode())
    for doc, run in documents(sentences):
        if doc and (why := unwritable(doc)):
            context.lost("document name", f"{doc!r}: {why}")
            doc = None
        medline = escaped(f"MEDLINE:{doc}" if doc else "", path)
        run = [s for s in run if _is_holdable(s, next(numbers), context)]
        lines = [f"<article>\n<articleinfo>\n<bibliomisc>{medline}</bibliomisc>\n</articleinfo>"]
        title = _title_length(run)
        for index, sentence in enumerate(run, start=1):
            gap = "" if index == len(run) else "\n" if index == title else " "
            if sentence.gaps is not None and sentence.gaps[-1] != gap:
                change = f"{sentence.gaps[-1]!r} becomes {gap!r}"
                context.changed("whitespace between sentences", change)
        for name, part in (("title", run[:title]), ("abstract", run[title:])):
            if part:
                body = "\n".join(_sentence(sentence, context) for sentence in part)
                lines.append(f"<{name}>\n{body}\n</{name}>")
        sink.write("\n".join([*lines, "</article>\n"]).encode())
    sink.write(b"</set>\n")


def _is_holdable(sentence: Sentence, number: int, context: Context) -> bool:
    if why := _unholdable(sentence):
        lose_sentence(sentence, number, why, context)
        return False
    report_unheld(sentence, number, context)
    return True


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
        pieces += [f"<cons sem={quoted(f'G#{escaped_label(span.label)}', path)}>" for span in spans]
        pieces.append(f'<w c="*">{escaped(token, path)}</w>')
        pieces.append("</cons>" * closed)
    pieces.append("</sentence>")
    return "".join(pieces)


def _nested(sentence: Sentence, context: Context) -> list[Span]:
    """The entities that tags can represent: outer before inner, none crossing another.

    Of equal spans the first closes first, which preserves their order.
    """

    def words(span: Span) -> str:
        return " ".join(sentence.tokens[span.start : span.end])

    kept = Counter(without_crossings(sentence.entities, context, text=words))
    numbers = {span: number for number, span in enumerate(sentence.entities)}
    ordered = sorted(kept, key=lambda span: (span.start, -span.end, -numbers[span]))
    return [span for span in ordered for _ in range(kept[span])]


def _unholdable(sentence: Sentence) -> str | None:
    """What in the sentence XML or GENIA's tokens cannot represent."""
    for token in sentence.tokens:
        if token != token.strip() or _BLANK.search(token):
            return f"the token {token!r} contains whitespace"
    if character := unwritable(sentence.text):
        return character
    return None
