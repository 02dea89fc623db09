"""spaCy's DocBin: entities are the spans of a group (``sc`` when written) or ``doc.ents``.

Each Doc is a document, with the sentences it marks; without marks it is split like raw text. Needs
the extra ``spacy``.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.docbin.entities import ENTITIES, SCORES, entities_of, report_unread
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.character_spans import sentences_from_text
from innermost.corpus.shared.text_documents import identified
from innermost.corpus.shared.unmarked_sentences import in_sentences
from innermost.corpus.shared.unsupported import layers, lose_entity, lose_sentence, report_unheld
from innermost.errors import MissingExtraError
from innermost.files.source import Source, open_output
from innermost.nest import Span

_GROUP = "sc"
_NAME = "innermost_doc"
_CHUNK = 1 << 20
_MAX_RATIO = 200
_UNSUSPICIOUS = 1 << 26
"""Up to this size, any ratio is accepted."""
_ATTRIBUTES = ["ORTH", "SPACY", "SENT_START", "ENT_IOB", "ENT_TYPE"]


class _DocBin(Format):
    name = "docbin"
    description = "spaCy DocBin: span groups and entities"
    suffixes = (".spacy", ".docbin")
    holds = frozenset({"crossings", "duplicates", "tokens", "gaps", "doc", SCORES})
    extra = "spacy"
    reading_settings = ("group", "sentences")
    writing_settings = ("group",)

    def sniff(self, source: Source) -> bool:
        return source.name.endswith(self.suffixes) and not source.is_folder

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        spacy = _spacy()
        with source.open() as file:
            data = file.read()
        _check_proportion(data, context)
        vocab = spacy.blank("xx").vocab
        with _damage_reported(context):
            docs = iter(spacy.tokens.DocBin().from_bytes(data).get_docs(vocab))
        numbered = enumerate(_each(docs, context), start=1)
        yield from context.each(numbered, lambda pair: _sentences(pair[1], pair[0], context))

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        spacy = _spacy()
        vocab = spacy.blank("xx").vocab
        docs = spacy.tokens.DocBin(attrs=_ATTRIBUTES, store_user_data=True)
        group = context.options.settings.get("group", _GROUP)
        holds = self.holds - {SCORES} if group == ENTITIES else self.holds
        number = 0
        for name, run in documents(sentences):
            kept: list[Sentence] = []
            for sentence in run:
                number += 1
                report_unheld(sentence, number, context, holds=holds)
                _report_white_space(sentence, number, context)
                if sentence.tokens:
                    kept.append(sentence)
                else:
                    lose_sentence(sentence, number, "it has no tokens", context)
            if kept:
                if group == ENTITIES:
                    kept = [_without_overlaps(s, context) for s in kept]
                docs.add(_doc(kept, name, group, spacy, vocab))
        with open_output(path) as sink:
            sink.write(docs.to_bytes())


def _spacy() -> Any:
    try:
        import spacy
        import spacy.tokens
    except ImportError as error:
        raise MissingExtraError("Reading and writing DocBin files", "spacy", error.name) from None
    return spacy


def _each(docs: Iterator[Any], context: Context) -> Iterator[Any]:
    while True:
        with _damage_reported(context):
            doc = next(docs, None)
        if doc is None:
            return
        yield doc


@contextmanager
def _damage_reported(context: Context) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # msgpack, zlib and NumPy share no base class
        raise context.wrong(f"not a DocBin: {error}"[:500]) from None


def _check_proportion(data: bytes, context: Context) -> None:
    """Refuse a small file with a huge content before all of it is in memory."""
    archive = zlib.decompressobj()
    rest, size = data, 0
    while rest:
        with _damage_reported(context):
            size += len(archive.decompress(rest, _CHUNK))
        rest = archive.unconsumed_tail
        if size > max(_UNSUSPICIOUS, _MAX_RATIO * len(data)):
            raise context.wrong(
                f"the content is more than {_MAX_RATIO} times as large as the file",
                hint="if that is right, store it in several files",
            )


def _sentences(doc: Any, number: int, context: Context) -> Iterator[Sentence]:
    spans, scores = entities_of(doc, number, context)
    report_unread(doc, number, _NAME, context)
    if not doc.has_annotation("SENT_START"):
        yield from _unmarked_sentences(doc, spans, scores, number, context)
        return
    edges = [s.start for s in doc.sents]
    kept = _outside(edges, spans)
    if len(kept) < len(edges):
        context.changed("entity across sentences", f"in document {number}: joined")
    edges = kept
    entities: list[list[Span]] = [[] for _ in edges]
    inner_scores: list[dict[Span, float]] = [{} for _ in edges]
    for span in spans:
        index = bisect_right(edges, span.start) - 1
        inner = Span(span.start - edges[index], span.end - edges[index], span.label)
        entities[index].append(inner)
        if span in scores:
            inner_scores[index][inner] = scores[span]
    numbered = f"{Path(context.path).name}:{number}"
    name = doc.user_data.get(_NAME) or (numbered if len(edges) > 1 else None)
    ends = [*edges[1:], len(doc)]
    for start, end, inside, scored in zip(edges, ends, entities, inner_scores, strict=True):
        tokens = [token.text for token in doc[start:end]]
        if not tokens:
            continue
        yield Sentence(
            tokens,
            inside,
            gaps=["", *(token.whitespace_ for token in doc[start:end])],
            doc=name,
            scores=scored,
        )


def _unmarked_sentences(
    doc: Any, spans: list[Span], scores: Mapping[Span, float], number: int, context: Context
) -> list[Sentence]:
    """The sentences of a Doc that no component has split; whitespace tokens become gaps."""
    text: str = doc.text
    offsets = [(token.idx, token.idx + len(token)) for token in doc]
    tokens = [(start, end) for start, end in offsets if text[start:end].strip()]
    characters = [Span(offsets[s][0], offsets[e - 1][1], label) for s, e, label in spans]
    scored = {
        inner: scores[span] for inner, span in zip(characters, spans, strict=True) if span in scores
    }
    place = context.at(record=number)
    return identified(
        sentences_from_text(
            text,
            characters,
            place,
            tokens=in_sentences(text, tokens, place),
            doc=doc.user_data.get(_NAME),
            scores=scored,
        ),
        id=None,
        doc=doc.user_data.get(_NAME),
    )


def _outside(edges: list[int], spans: list[Span]) -> list[int]:
    """The edges that are not inside a span: no sentence ends inside an entity."""
    kept: list[int] = []
    reach = 0
    ordered = iter(sorted(spans))
    span = next(ordered, None)
    for edge in edges:
        while span is not None and span.start < edge:
            reach = max(reach, span.end)
            span = next(ordered, None)
        if edge >= reach:
            kept.append(edge)
    return kept


def _doc(run: list[Sentence], name: str | None, group: str, spacy: Any, vocab: Any) -> Any:
    doc = spacy.tokens.Doc(
        vocab,
        words=[token for s in run for token in s.tokens],
        spaces=[gap != "" for s in run for gap in s.filled_gaps()[1:]],
        sent_starts=[index == 0 for s in run for index in range(len(s.tokens))],
    )
    spans = []
    scores: list[float | None] = []
    position = 0
    for sentence in run:
        for entity in sentence.entities:
            start, end = position + entity.start, position + entity.end
            spans.append(spacy.tokens.Span(doc, start, end, label=entity.label))
            scores.append(sentence.scores.get(entity))
        position += len(sentence.tokens)
    if group == ENTITIES:
        doc.ents = spans
    else:
        attributes = {SCORES: scores} if any(s is not None for s in scores) else {}
        doc.spans[group] = spacy.tokens.SpanGroup(doc, name=group, attrs=attributes, spans=spans)
    if name is not None:
        doc.user_data[_NAME] = name
    return doc


def _without_overlaps(sentence: Sentence, context: Context) -> Sentence:
    """Keep what ``doc.ents`` can hold: outermost spans, and the earlier of two that cross."""
    outermost, *others = layers(sentence.entities) or [[]]
    for start, end, label in chain.from_iterable(others):
        words = " ".join(sentence.tokens[start:end])
        lose_entity("overlapping span", f"{label} {words!r}", context)
    return replace(sentence, entities=outermost)


def _report_white_space(sentence: Sentence, number: int, context: Context) -> None:
    """spaCy has one kind of whitespace between tokens: a single space."""
    if sentence.gaps and (sentence.gaps[0] or any(g not in ("", " ") for g in sentence.gaps[1:])):
        context.changed("whitespace", f"of sentence {number}: each gap is one space")


FORMAT = _DocBin()
