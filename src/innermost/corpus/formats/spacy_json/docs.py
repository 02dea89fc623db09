"""``Doc.to_json()``: a text with tokens, sentences, entities and span groups by character."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.corpus.shared.json_records import Record, are_numbers, name_of
from innermost.corpus.shared.text_documents import identified, read_named_text, text_records
from innermost.corpus.shared.unmarked_sentences import in_sentences
from innermost.corpus.shared.unsupported import lose_sentence
from innermost.nest import Span
from innermost.text.align import Offsets

GROUP = "sc"
"""The span group that is written, spaCy's default."""

_FIELDS = frozenset({"text", "ents", "sents", "tokens", "spans", "id", "doc"})


def is_doc(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("text"), str)
        and (isinstance(value.get("ents"), list) or isinstance(value.get("spans"), dict))
    )


def sentences_of_doc(record: Record, context: Context) -> list[Sentence]:
    text: str = record["text"]
    spans = _spans(record, context)
    id, doc = name_of(record, "id", context), name_of(record, "doc", context)
    extra = {key: value for key, value in record.items() if key not in _FIELDS}
    places = [_place(token, "token", context) for token in _list(record, "tokens", context)]
    # In spaCy, whitespace other than a single space is a token.
    tokens = [place for place in places if text[place[0] : place[1]].strip()]
    if not tokens:
        return read_named_text(text, spans, context, id=id, doc=doc, extra=extra, scores={})
    groups = _marked_sentences(record, tokens, context) or in_sentences(text, tokens, context)
    sentences = sentences_from_text(
        text, spans, context, tokens=groups, doc=id if doc is None else doc, extra=extra
    )
    return identified(sentences, id=id, doc=doc)


def _marked_sentences(
    record: Record, tokens: list[Offsets], context: Context
) -> list[list[Offsets]] | None:
    """The tokens of each sentence; None if the record does not mark any."""
    starts = {_place(s, "sentence", context)[0] for s in _list(record, "sents", context)}
    borders = sorted({0, *(bisect_left(tokens, (start, 0)) for start in starts), len(tokens)})
    return [tokens[first:last] for first, last in pairwise(borders)] if starts else None


def records(sentences: Iterable[Sentence], context: Context) -> Iterator[Record]:
    group = context.options.settings.get("group", GROUP)
    documents = text_records(_with_tokens(sentences, context), context)
    for count, document in enumerate(documents, start=1):
        sentences_of_tokens = [list(tokens) for tokens in _tokens(document.sentences)]
        borders = [(tokens[0][0], tokens[-1][1]) for tokens in sentences_of_tokens]
        tokens = chain.from_iterable(sentences_of_tokens)
        record: Record = {
            "text": document.text,
            "ents": [],
            "sents": [{"start": start, "end": end} for start, end in borders],
            "tokens": [{"id": n, "start": a, "end": b} for n, (a, b) in enumerate(tokens)],
            "spans": {group: [_as_object(span) for span in document.spans]},
        }
        if document.id is not None:
            record["id"] = document.id
        if document.doc is not None:
            record["doc"] = document.doc
        for key, value in document.extra.items():
            if key in _FIELDS:
                context.lost("extra key", f"{key!r} of document {count}: the name is taken")
            else:
                record[key] = value
        yield record


def _tokens(sentences: Iterable[Sentence]) -> Iterator[Iterator[Offsets]]:
    """The tokens of each sentence as in spaCy, where only single spaces are not tokens."""

    def tokens(sentence: Sentence, position: int) -> Iterator[Offsets]:
        previous: str | None = None
        for gap, token in zip(sentence.filled_gaps(), [*sentence.tokens, ""], strict=True):
            space = len(gap) if previous is None else len(gap.removeprefix(" "))
            if space and gap.isspace():
                yield position + len(gap) - space, position + len(gap)
            position += len(gap)
            if token:
                yield position, position + len(token)
            position += len(token)
            previous = token

    position = 0
    for sentence in sentences:
        yield tokens(sentence, position)
        position += len(sentence.text)


def _with_tokens(sentences: Iterable[Sentence], context: Context) -> Iterator[Sentence]:
    for number, sentence in enumerate(sentences, start=1):
        blank = next((token for token in sentence.tokens if not token.strip()), None)
        if blank is not None:
            lose_sentence(sentence, number, f"the token {blank!r} is blank", context)
        elif not sentence.tokens:
            lose_sentence(sentence, number, "it has no tokens", context)
        else:
            yield sentence


def _as_object(span: Span) -> Record:
    return {"start": span.start, "end": span.end, "label": span.label, "kb_id": ""}


def _spans(record: Record, context: Context) -> list[Span]:
    """The spans of one group, or of all groups plus the entities in none of them."""
    groups = record.get("spans") or {}
    if not isinstance(groups, dict) or not all(isinstance(g, list) for g in groups.values()):
        raise context.wrong('expected "spans": an object with lists of spans')
    ents = [_span(item, context) for item in _list(record, "ents", context)]
    group = context.options.settings.get("group")
    if group == "ents":
        return ents
    if group is not None and group not in groups:
        known = ", ".join(groups) or "no groups"
        raise context.wrong(
            f"no span group {group!r}", hint=f"the record has: {known}; for ents set group=ents"
        )
    chosen = groups.values() if group is None else [groups[group]]
    spans = [_span(item, context) for item in chain.from_iterable(chosen)]
    grouped = set(spans)
    return spans if group is not None else spans + [s for s in ents if s not in grouped]


def _span(item: Any, context: Context) -> Span:
    match item:
        case {"label": str(label)}:
            return Span(*_place(item, "span", context), label)
    raise context.wrong(f"a span needs start, end and label, found {item!r}"[:200])


def _place(item: Any, what: str, context: Context) -> Offsets:
    match item:
        case {"start": start, "end": end} if are_numbers(start, end):
            return start, end
    raise context.wrong(f"a {what} needs start and end, found {item!r}"[:200])


def _list(record: Record, key: str, context: Context) -> list[Any]:
    value = record.get(key) or []
    if not isinstance(value, list):
        raise context.wrong(f'expected "{key}": a list, found {value!r}'[:200])
    return value
