"""spaCy's training data: the JSON of version 2, and lists of texts with their entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import Record, are_numbers, name_of
from innermost.corpus.shared.tag_schemes import Tag, reported_spans, split_tag
from innermost.corpus.shared.text_documents import read_named_text
from innermost.nest import Span

_MISSING = ("-", "", None)
"""Tags of tokens that were not annotated."""


def is_training_document(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("paragraphs"), list)


def is_pair(value: Any) -> bool:
    match value:
        case [str(), {"entities": list()}]:
            return True
    return False


def is_pairs(value: Any) -> bool:
    """An object with a list of texts, as some annotation tools write it."""
    if not isinstance(value, dict) or not isinstance(value.get("annotations"), list):
        return False
    pairs = [item for item in value["annotations"] if item is not None]
    return bool(pairs) and all(map(is_pair, pairs))


def sentences_of_pair(pair: Any, context: Context) -> list[Sentence]:
    if not is_pair(pair):
        raise context.wrong(f'expected [text, {{"entities": [...]}}], found {pair!r}'[:200])
    text, annotation = pair
    spans: list[Span] = []
    for item in annotation["entities"]:
        match item:
            case [start, end, str(label)] if are_numbers(start, end):
                spans.append(Span(start, end, label))
            case _:
                raise context.wrong(f"an entity is [start, end, label], found {item!r}"[:200])
    for key in annotation:
        if key != "entities" and annotation[key]:
            context.lost("other annotation", f"{key}: {annotation[key]!r}"[:80])
    return read_named_text(text, spans, context, id=None, doc=None, extra={}, scores={})


def sentences_of_training_document(record: Record, context: Context) -> Iterator[Sentence]:
    doc = name_of(record, "id", context)
    for paragraph in record["paragraphs"]:
        if not isinstance(paragraph, dict) or not isinstance(paragraph.get("sentences"), list):
            raise context.wrong('a paragraph needs "sentences": a list')
        raw = paragraph.get("raw")
        position = 0
        for item in paragraph["sentences"]:
            tokens, tags = _tokens(item, context)
            gaps = None
            if isinstance(raw, str):
                gaps, position = _gaps(tokens, raw, position)
            entities = sorted(
                reported_spans(tags, context), key=lambda span: (span.start, -span.end)
            )
            yield Sentence(tokens, entities, gaps, doc=doc, line=context.line)


def _tokens(sentence: Any, context: Context) -> tuple[list[str], list[Tag]]:
    items = sentence.get("tokens") if isinstance(sentence, dict) else None
    if not isinstance(items, list) or not items:
        raise context.wrong('a sentence needs "tokens": a non-empty list')
    tokens: list[str] = []
    tags: list[Tag] = []
    unannotated = 0
    for item in items:
        match item:
            case {"orth": str(orth)} if orth:
                tokens.append(orth)
            case _:
                raise context.wrong(f'a token needs "orth", found {item!r}'[:200])
        tag = item.get("ner", "O")
        if tag in _MISSING:
            unannotated += 1
            tag = "O"
        split = split_tag(tag) if isinstance(tag, str) else None
        if split is None:
            raise context.wrong(f"{tag!r} is not a tag", hint="a tag is O or B-, I-, L-, U- LABEL")
        tags.append(split)
    if unannotated:
        context.odd("tokens without a tag", f"{unannotated} read as O")
    return tokens, tags


def _gaps(tokens: Sequence[str], raw: str, position: int) -> tuple[list[str] | None, int]:
    """The whitespace around the tokens (None if they do not match) and the sentence's end."""
    gaps: list[str] = []
    start = position
    for token in tokens:
        place = raw.find(token, position)
        if place < 0 or raw[position:place].strip():
            return None, start
        gaps.append(raw[position:place])
        position = place + len(token)
    return [*gaps, ""], position
