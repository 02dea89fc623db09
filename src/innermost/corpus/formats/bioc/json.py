"""BioC's JSON: a collection, or documents alone, one per line or in an array."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from innermost.corpus.context import Context
from innermost.corpus.formats.bioc.meaning import TYPE, sentences_of
from innermost.corpus.formats.bioc.structure import Annotation, Document, Infons, Passage, Piece
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import (
    Record,
    are_numbers,
    list_of,
    sentences_of_records,
)
from innermost.corpus.shared.text_documents import TextRecord, report_tokens, text_records
from innermost.files.source import BOM, Source, open_output

_COLLECTIONS = ("documents", "PubTator3")
"""Keys of the documents of a collection; PubTator 3 has one of its own."""
_PASSAGES = re.compile(rb'"passages"\s*:\s*\[')


def are_bioc(source: Source) -> bool:
    head = source.head().removeprefix(BOM).lstrip()
    return head.startswith((b"{", b"[")) and _PASSAGES.search(head) is not None


def json_sentences(source: Source, context: Context) -> Iterator[Sentence]:
    return sentences_of_records(source, context, _sentences)


def _sentences(record: Record, context: Context) -> Iterator[Sentence]:
    key = next((key for key in _COLLECTIONS if key in record), None)
    if key is None:
        return iter(sentences_of(_document(record, context), context))

    def sentences(numbered: tuple[int, Any]) -> list[Sentence]:
        number, value = numbered
        place = context.at(context.line, record=number)
        return sentences_of(_document(_object(value, place), place), place)

    return context.each(enumerate(list_of(record, key, context), start=1), sentences)


def _document(record: Record, context: Context) -> Document:
    if not isinstance(record.get("passages"), list):
        raise context.wrong('expected "passages": a list')
    id = record.get("id")
    document = Document(None, "" if id is None else str(id), infons=[_infons(record, context)])
    document.relations = len(list_of(record, "relations", context))
    for value in record["passages"]:
        passage = Passage()
        document.passages.append(passage)
        outer = _object(value, context)
        inner = [_object(item, context) for item in list_of(outer, "sentences", context)]
        for part in (outer, *inner):
            document.infons.append(_infons(part, context))
            document.relations += len(list_of(part, "relations", context))
            # In collections with sentences, the text of a passage may be null or empty.
            if (text := part.get("text")) or not inner:
                passage.pieces.append(_piece(part, text, context, is_sentence=part is not outer))
            annotations = list_of(part, "annotations", context)
            passage.annotations += [_annotation(item, context) for item in annotations]
    if list_of(record, "annotations", context):
        raise context.wrong("an annotation outside a passage")
    return document


def _piece(part: Record, text: Any, context: Context, *, is_sentence: bool) -> Piece:
    match part:
        case {"offset": offset} if are_numbers(offset) and isinstance(text, str | None):
            return Piece(offset, text or "", is_sentence)
    raise context.wrong('expected "text": a string, and "offset": a number')


def _annotation(value: Any, context: Context) -> Annotation:
    record = _object(value, context)
    text = None if record.get("text") is None else str(record["text"])
    locations: list[tuple[int, int]] = []
    for item in list_of(record, "locations", context):
        match item:
            case {"offset": offset, "length": length} if are_numbers(offset, length):
                locations.append((offset, length))
            case _:
                raise context.wrong(f"a location needs offset and length, found {item!r}"[:200])
    return Annotation(None, _infons(record, context), locations, text)


def _infons(record: Record, context: Context) -> Infons:
    infons = record.get("infons") or {}
    if not isinstance(infons, dict):
        raise context.wrong(f'expected "infons": an object, found {infons!r}'[:200])
    return {key: "" if value is None else str(value) for key, value in infons.items()}


def _object(value: Any, context: Context) -> Record:
    if not isinstance(value, dict):
        raise context.wrong(f"expected an object, found {value!r}"[:200])
    return value


def write_json(sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
    encode = msgspec.json.Encoder().encode
    with open_output(path) as sink:
        # A line break after the brace, or the file would look like JSON lines.
        sink.write(b'{\n"source": "innermost", "date": "", "key": "", "infons": {}, "documents": [')
        separator = b"\n"
        for document in text_records(sentences, context):
            report_tokens(document.sentences, context)
            sink.write(separator + encode(_written(document)))
            separator = b",\n"
        sink.write(b"\n]}\n")


def _written(document: TextRecord) -> Record:
    annotations = [
        {
            "id": str(number),
            "infons": {TYPE: label},
            "text": document.text[start:end],
            "locations": [{"offset": start, "length": end - start}],
        }
        for number, (start, end, label) in enumerate(document.spans, start=1)
    ]
    passage = {
        "offset": 0,
        "infons": {},
        "text": document.text,
        "sentences": [],
        "annotations": annotations,
        "relations": [],
    }
    return {"id": document.doc or "", "infons": {}, "passages": [passage], "relations": []}
