"""Published records of a text and entities with inclusive ends, in two styles that are only read.

cluener   {"text": "Bob left", "label": {"name": {"Bob": [[0, 2]]}}}
dataturks {"content": "Bob left", "annotation": [
            {"label": ["PER"], "points": [{"start": 0, "end": 2, "text": "Bob"}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import Record, are_numbers, list_of, name_of
from innermost.corpus.shared.text_documents import read_named_text
from innermost.nest import Span


def is_cluener(record: Record) -> bool:
    return isinstance(record.get("text"), str) and isinstance(record.get("label"), dict)


def is_dataturks(record: Record) -> bool:
    return isinstance(record.get("content"), str) and "annotation" in record


def from_cluener(record: Record, context: Context) -> list[Sentence]:
    text: str = record["text"]
    spans: list[Span] = []
    for label, mentions in record["label"].items():
        if not isinstance(mentions, dict):
            raise context.wrong(f"expected an object with mentions, found {mentions!r}"[:200])
        for mention, places in mentions.items():
            listed = places if isinstance(places, list) else [places]
            spans += [_span(place, label, mention, text, context) for place in listed]
    return _read(record, text, spans, ("text", "label"), context)


def from_dataturks(record: Record, context: Context) -> list[Sentence]:
    text: str = record["content"]
    spans: list[Span] = []
    for item in list_of(record, "annotation", context):
        labels, points = _labels_and_points(item, context)
        if not labels:
            context.lost("annotation without a label", repr(points)[:80])
        for point in points:
            place = [point.get("start"), point.get("end")]
            spans += [_span(place, label, point.get("text"), text, context) for label in labels]
    return _read(record, text, spans, ("content", "annotation"), context)


def _labels_and_points(item: Any, context: Context) -> tuple[list[str], list[Record]]:
    match item:
        case {"label": list(labels), "points": list(points)}:
            if all(isinstance(v, str) for v in labels) and all(isinstance(p, dict) for p in points):
                return labels, points
    raise context.wrong(f"an annotation needs a list of labels and of points, found {item!r}"[:200])


def _span(place: Any, label: str, mention: Any, text: str, context: Context) -> Span:
    """The span of an entity whose end is inclusive; a mention that differs is reported."""
    match place:
        case [first, last] if are_numbers(first, last):
            there = text[first : last + 1]
        case _:
            raise context.wrong(f"an entity needs two offsets, found {place!r}"[:200])
    if isinstance(mention, str) and mention.split() != there.split():
        context.odd("text of an entity", f"{label} says {mention!r}, the text has {there!r}")
    return Span(first, last + 1, label)


def _read(
    record: Record, text: str, spans: list[Span], known: tuple[str, ...], context: Context
) -> list[Sentence]:
    return read_named_text(
        text,
        spans,
        context,
        id=name_of(record, "id", context),
        doc=name_of(record, "doc", context),
        extra=dict(_others(record, known)),
        scores={},
    )


def _others(record: Record, known: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """The keys that are kept; empty ones say nothing."""
    for key, value in record.items():
        if key not in (*known, "id", "doc") and value is not None:
            yield key, value
