"""The character form of the native format: a text, and entities with character offsets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.formats.native.fields import (
    Entity,
    entities_key,
    entities_of,
    entity,
    kind,
    name_of,
    scores_of,
)
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import annotated_text_of
from innermost.corpus.shared.entity_checks import Wrong, check_span
from innermost.corpus.shared.entity_objects import with_exclusive_ends, with_our_keys
from innermost.corpus.shared.text_documents import read_named_text, report_tokens
from innermost.corpus.shared.unsupported import with_extra

_FIELDS = frozenset({"text", "entities", "id", "doc"})


def is_text_record(record: Any) -> bool:
    return isinstance(record, dict) and "text" in record and "tokens" not in record


def sentences_of_record(record: dict[str, Any], context: Context) -> list[Sentence]:
    """The sentences of one record; all of them carry its ``id``, ``doc`` and other keys."""
    text = record["text"]
    if not isinstance(text, str):
        raise Wrong(f'expected "text": a string, found {kind(text)}')
    items = [with_our_keys(item) for item in entities_of(record, context)]
    items = with_exclusive_ends(items, lambda start, end: text[start:end], context)
    entities = [_entity(item, index, text, context) for index, item in enumerate(items)]
    spans = [span for span, _ in entities]
    scores = scores_of(entities)
    name, doc = name_of(record, "id"), name_of(record, "doc")
    held = _FIELDS | {entities_key(record)}
    extra = {key: value for key, value in record.items() if key not in held}
    return read_named_text(text, spans, context, id=name, doc=doc, extra=extra, scores=scores)


def records(sentences: Iterable[Sentence], context: Context) -> Iterator[dict[str, Any]]:
    """One record per run of sentences with the same name, and per sentence without a name."""
    unnamed = itertools.count()
    number = 0

    def name(sentence: Sentence) -> object:
        alone = sentence.doc is None and (sentence.unnamed or sentence.id is None)
        return next(unnamed) if alone else (sentence.doc, sentence.id)

    for _, group in groupby(sentences, key=name):
        run = list(group)
        first = run[0]
        text, spans, scores = annotated_text_of(run)
        report_tokens(run, context)
        record: dict[str, Any] = {}
        if first.id is not None:
            record["id"] = first.id
        joined_by_id = first.doc == first.id and len(run) > 1
        if first.doc is not None and not first.unnamed and not joined_by_id:
            record["doc"] = first.doc
        record["text"] = text
        record["entities"] = [
            {"start": span.start, "end": span.end, "label": span.label}
            | ({"score": scores[span]} if span in scores else {})
            for span in spans
        ]
        for sentence in run[1:]:
            if sentence.extra != first.extra:
                keys = ", ".join(sorted({*sentence.extra, *first.extra}))
                context.lost("keys that differ within a document", f"{keys} in {text[:60]!r}")
        yield with_extra(record, first, number + 1, context)
        number += len(run)


def _entity(item: Any, index: int, text: str, context: Context) -> Entity:
    parsed = entity(item, index, context)
    check_span(parsed.span, index, len(text), "characters")
    there = text[parsed.span.start : parsed.span.end]
    quoted = item.get("text", there) if isinstance(item, dict) else there
    if quoted != there:
        context.odd("text of an entity", f"entity {index} says {quoted!r}, the text has {there!r}")
    return parsed
