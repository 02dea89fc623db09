"""The character form of the native format: a text, and entities that count its characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.formats.native.fields import Wrong, check_span, entities_of, kind, name_of
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import text_of
from innermost.corpus.shared.text_documents import read_text, report_tokens
from innermost.corpus.shared.unsupported import with_extra
from innermost.nest import Span

_FIELDS = frozenset({"text", "entities", "id", "doc"})


def is_text_record(record: Any) -> bool:
    return isinstance(record, dict) and "text" in record and "tokens" not in record


def sentences_of_record(record: dict[str, Any], context: Context) -> list[Sentence]:
    """The sentences of one record; all of them carry its ``id``, ``doc`` and other keys."""
    text = record["text"]
    if not isinstance(text, str):
        raise Wrong(f'expected "text": a string, found {kind(text)}')
    spans = [
        _span(item, index, len(text), context) for index, item in enumerate(entities_of(record))
    ]
    name, doc = name_of(record, "id"), name_of(record, "doc")
    extra = {key: value for key, value in record.items() if key not in _FIELDS}
    sentences = read_text(text, spans, context, doc=doc or name, extra=extra)
    for sentence in sentences:
        sentence.id = name
        if len(sentences) == 1:
            sentence.doc = doc
    return sentences


def records(sentences: Iterable[Sentence], context: Context) -> Iterator[dict[str, Any]]:
    """One record for each run of sentences of one name; one for each sentence without a name."""
    unnamed = iter(range(1 << 62))
    number = 0
    for _, group in groupby(
        sentences, key=lambda s: (s.doc, s.id) if (s.doc or s.id) is not None else next(unnamed)
    ):
        run = list(group)
        first = run[0]
        text, spans = text_of(run)
        report_tokens(run, context)
        record: dict[str, Any] = {}
        if first.id is not None:
            record["id"] = first.id
        # The sentences of a longer text without ``doc`` were given its ``id`` for one.
        if first.doc is not None and (first.doc != first.id or len(run) == 1):
            record["doc"] = first.doc
        record["text"] = text
        record["entities"] = [{"start": s.start, "end": s.end, "label": s.label} for s in spans]
        for sentence in run[1:]:
            if sentence.extra != first.extra:
                keys = ", ".join(sorted({*sentence.extra, *first.extra}))
                context.lost("keys that differ within a document", f"{keys} in {text[:60]!r}")
        yield with_extra(record, first, number + 1, context)
        number += len(run)


def _span(item: Any, index: int, length: int, context: Context) -> Span:
    match item:
        case {"start": int(start), "end": int(end), "label": str(label)}:
            span = Span(start, end, label)
        case _:
            raise Wrong(
                f"entity {index} is not an object with start, end and label: {item!r}",
                'e.g. {"start": 0, "end": 9, "label": "DNA"}',
            )
    check_span(span, index, length, "characters")
    if others := sorted(set(item) - {"start", "end", "label", "text"}):
        context.lost("keys of an entity", ", ".join(others))
    return span
