"""doccano's JSON lines for sequence labeling::

    {"id": 7, "text": "IL-2 gene", "label": [[0, 9, "DNA"], [0, 4, "protein"]]}

and for relations, ``"entities": [{"start_offset": 0, "end_offset": 9, "label": "DNA"}]``, of which
only the entities are read. Offsets count characters. Each record is a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import (
    Record,
    are_numbers,
    first_record,
    name_of,
    sentences_of_records,
    write_records,
)
from innermost.corpus.shared.text_documents import read_named_text, report_tokens, text_records
from innermost.files.source import Source
from innermost.nest import Span

_LABELS = ("label", "labels")


class _Doccano(Format):
    name = "doccano"
    description = "doccano JSON lines: text and labeled character spans"
    suffixes = (".doccano.jsonl",)
    holds = frozenset({"crossings", "duplicates", "gaps", "doc", "id", "extra"})
    reading_settings = writing_settings = ("sentences",)

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        spans = _spans_of(record)
        return "text" in record and spans is not None and all(map(_is_span, spans))

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return sentences_of_records(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        write_records(_records(sentences, context), path)


def _spans_of(record: Mapping[str, Any]) -> list[Any] | None:
    keys = [key for key in _LABELS if isinstance(record.get(key), list)]
    entities = record.get("entities")
    if isinstance(entities, list) and "relations" in record and not keys:
        return entities
    return record[keys[0]] if keys and entities is None else None


def _is_span(item: Any) -> bool:
    match item:
        case [int(), int(), str()]:
            return True
        case {"start_offset": int(), "end_offset": int(), "label": str()}:
            return True
    return False


def _sentences(record: Record, context: Context) -> list[Sentence]:
    text = record.get("text")
    items = _spans_of(record)
    if not isinstance(text, str) or items is None:
        raise context.wrong(
            'expected "text": a string, and "label": a list',
            hint='e.g. {"text": "IL-2 gene", "label": [[0, 9, "DNA"]]}',
        )
    spans: list[Span] = []
    for item in items:
        match item:
            case [start, end, str(label)] if are_numbers(start, end):
                spans.append(Span(start, end, label))
            case {"start_offset": start, "end_offset": end, "label": str(label)} if are_numbers(
                start, end
            ):
                spans.append(Span(start, end, label))
            case _:
                raise context.wrong(f"a label is [start, end, name], found {item!r}"[:200])
    if record.get("relations"):
        context.lost("relation", f"{len(record['relations'])} of them")
    if record.get("Comments"):
        context.lost("comment", str(record["Comments"])[:80])
    held = {"id", "doc", "text", *_LABELS, "relations", "entities", "Comments"}
    return read_named_text(
        text,
        spans,
        context,
        id=name_of(record, "id", context),
        doc=name_of(record, "doc", context),
        extra={key: value for key, value in record.items() if key not in held},
        scores={},
    )


def _records(sentences: Iterable[Sentence], context: Context) -> Iterator[Record]:
    for count, document in enumerate(text_records(sentences, context), start=1):
        report_tokens(document.sentences, context)
        record: Record = {} if document.id is None else {"id": document.id}
        if document.doc is not None:
            record["doc"] = document.doc
        record["text"] = document.text
        record["label"] = [list(span) for span in document.spans]
        for key, value in document.extra.items():
            if key in record or key in ("labels", "entities", "relations", "Comments"):
                context.lost("extra key", f"{key!r} of document {count}: the name is taken")
            else:
                record[key] = value
        yield record


FORMAT = _Doccano()
