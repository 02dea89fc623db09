"""Prodigy's JSON lines: a text, its tokens, and spans by character and token::

    {"text": "IL-2 gene",
     "tokens": [{"text": "IL-2", "start": 0, "end": 4, "id": 0, "ws": true}, ...],
     "spans": [{"start": 0, "end": 9, "token_start": 0, "token_end": 1, "label": "DNA"}]}

``token_end`` is inclusive. Records without tokens are tokenized. Names go into ``meta``. A span
may have a score. A record is a sentence, or a document, where tokens that begin a sentence have
``"sent_start": true``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.corpus.shared.json_records import (
    Record,
    are_numbers,
    first_record,
    list_of,
    probability,
    sentences_of_records,
    write_records,
)
from innermost.corpus.shared.text_documents import (
    TextRecord,
    identified,
    read_named_text,
    text_records,
)
from innermost.corpus.shared.unsupported import with_extra
from innermost.files.source import Source
from innermost.nest import Span

Offsets = tuple[int, int]

_RECORDS = ("sentence", "document")


class _Prodigy(Format):
    name = "prodigy"
    description = "Prodigy JSON lines: text, tokens, spans"
    suffixes = (".prodigy.jsonl",)
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", "id", "extra", "scores"})

    writing_settings = ("record",)

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        return "text" in record and (
            isinstance(record.get("spans"), list) or "_input_hash" in record
        )

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        return sentences_of_records(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        if context.options.choice("record", _RECORDS) == "sentence":
            records = (_record(s, n, context) for n, s in enumerate(sentences, 1))
        else:
            texts = enumerate(text_records(sentences, context), 1)
            records = (_document(text, n, context) for n, text in texts)
        write_records(records, path)


def _sentences(record: Record, context: Context) -> list[Sentence]:
    text = record.get("text")
    if not isinstance(text, str):
        raise context.wrong('expected "text": a string')
    if (answer := record.get("answer", "accept")) != "accept":
        context.lost("example that was not accepted", f"{answer}: {text[:60]!r}")
        return []
    objects = list_of(record, "tokens", context)
    tokens = [_offsets(token, text, context) for token in objects]
    items = list_of(record, "spans", context)
    spans = [_span(item, tokens, context) for item in items]
    given = [probability(item.get("score")) for item in items]
    scores = {s: score for s, score in zip(spans, given, strict=True) if score is not None}
    held = ("text", "tokens", "spans", "answer")
    extra = {key: value for key, value in record.items() if key not in held}
    doc, name, extra = _names_from_meta(extra)
    if not tokens:
        return read_named_text(text, spans, context, id=name, doc=doc, extra=extra, scores=scores)
    later = [i for i, token in enumerate(objects) if i and token.get("sent_start") is True]
    parts = [tokens[first:last] for first, last in pairwise([0, *later, len(tokens)])]
    sentences = sentences_from_text(
        text, spans, context, tokens=parts, doc=doc or name, extra=extra, scores=scores
    )
    if len(sentences) > 1:
        return identified(sentences, id=name, doc=doc)
    sentences[0].id, sentences[0].doc = name, doc
    return sentences


def _offsets(token: Any, text: str, context: Context) -> Offsets:
    match token:
        case {"start": start, "end": end, "text": str(given)} if are_numbers(start, end):
            if text[start:end] != given:
                raise context.wrong(
                    f"the token {given!r} is {text[start:end]!r} in the text [{start}, {end})"
                )
            return start, end
    raise context.wrong(f"a token needs text, start and end, found {token!r}")


def _span(item: Any, tokens: list[Offsets], context: Context) -> Span:
    match item:
        case {"start": start, "end": end, "label": str(label)} if are_numbers(start, end):
            return Span(start, end, label)
        case {"token_start": first, "token_end": last, "label": str(label)} if are_numbers(
            first, last
        ) and 0 <= first <= last < len(tokens):
            return Span(tokens[first][0], tokens[last][1], label)
    raise context.wrong(
        f"a span needs start, end and label, found {item!r}",
        hint="token_start and token_end do too, counting the tokens from 0, both inclusive",
    )


def _names_from_meta(
    extra: dict[str, Any],
) -> tuple[str | None, str | None, dict[str, Any]]:
    """The names that writing put into ``meta``, and the other keys."""
    meta = extra.get("meta")
    if not isinstance(meta, dict):
        return None, None, extra
    doc, name = meta.get("doc"), meta.get("id")
    rest = {k: v for k, v in meta.items() if k not in ("doc", "id")}
    others = {k: v for k, v in extra.items() if k != "meta"} | ({"meta": rest} if rest else {})
    return (
        None if doc is None else str(doc),
        None if name is None else str(name),
        others,
    )


def _record(sentence: Sentence, number: int, context: Context) -> Record:
    text = sentence.text if sentence.gaps is not None else sentence.text.removesuffix("\n")
    offsets = sentence.token_offsets()
    record: Record = {
        "text": text,
        "tokens": [
            {"text": token, "start": s, "end": e, "id": i, "ws": text[e : e + 1] == " "}
            for i, (token, (s, e)) in enumerate(zip(sentence.tokens, offsets, strict=True))
        ],
        "spans": [
            {
                "start": offsets[start][0],
                "end": offsets[end - 1][1],
                "token_start": start,
                "token_end": end - 1,
                "label": label,
            }
            | ({"score": sentence.scores[span]} if span in sentence.scores else {})
            for span in sentence.entities
            for start, end, label in [span]
        ],
    }
    names = {"doc": sentence.doc, "id": sentence.id}
    held = {key: value for key, value in names.items() if value is not None}
    meta = sentence.extra.get("meta", {})
    if not isinstance(meta, dict):
        context.lost("extra key", f"'meta' of sentence {number} is not an object")
        meta = {}
    if meta or held:
        record["meta"] = meta | held
    return with_extra(record, sentence, number, context, placed=("meta",))


def _document(document: TextRecord, number: int, context: Context) -> Record:
    """The record of a text, with a mark at each token that begins a sentence."""
    gaps = [""]
    joined = Sentence([], gaps=gaps, id=document.id, doc=document.doc, extra=document.extra)
    starts = []
    for sentence in document.sentences:
        first = len(joined.tokens)
        starts.append(first)
        for span in sentence.entities:
            moved = Span(first + span.start, first + span.end, span.label)
            joined.entities.append(moved)
            if span in sentence.scores:
                joined.scores[moved] = sentence.scores[span]
        joined.tokens += sentence.tokens
        before, *others = sentence.filled_gaps()
        gaps[-1] += before
        gaps += others
    record = _record(joined, number, context)
    for start in starts[1:]:
        record["tokens"][start]["sent_start"] = True
    return record


FORMAT = _Prodigy()
