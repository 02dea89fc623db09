"""Documents for formats of text and character spans, which do not store tokens."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.shared.character_spans import (
    annotated_text_of,
    sentences_from_text,
    split_text,
    text_of,
)
from innermost.corpus.shared.unsupported import report_unheld
from innermost.nest import Span
from innermost.text import Offsets

Split = Callable[[str, Context], Sequence[Sequence[Offsets]]]
"""From a text to the tokens of each sentence."""
_UNNAMED = 1000


def read_named_text(
    text: str,
    spans: Sequence[Span],
    context: Context,
    *,
    id: str | None,
    doc: str | None,
    extra: Mapping[str, Any],
    scores: Mapping[Span, float],
    tokens: Sequence[Sequence[Offsets]] | None = None,
) -> list[Sentence]:
    """The sentences of a record; all of them carry its ``id``, ``doc`` and other keys.

    A text of several sentences is identified by its name, else its id, else its place.
    """
    name = id if doc is None else doc
    sentences = sentences_from_text(
        text, spans, context, tokens=tokens, doc=name, extra=extra, scores=scores
    )
    return identified(sentences, id=id, doc=doc)


def identified(sentences: list[Sentence], *, id: str | None, doc: str | None) -> list[Sentence]:
    """The sentences of a record with its id; one sentence alone needs no name of a document."""
    for sentence in sentences:
        sentence.id = id
        if doc is None:
            sentence.unnamed = True
            sentence.doc = sentence.doc if len(sentences) > 1 else None
    return sentences


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A document as text formats write it."""

    text: str
    spans: list[Span]
    scores: dict[Span, float]
    id: str | None
    doc: str | None
    extra: dict[str, Any]
    sentences: list[Sentence]


def text_records(sentences: Iterable[Sentence], context: Context) -> Iterator[TextRecord]:
    """One record for each document; what its sentences do not share is reported."""
    number = 0
    for doc, run in documents(sentences):
        first = run[0]
        extra = first.extra if all(s.extra == first.extra for s in run) else {}
        id = first.id if all(s.id == first.id for s in run) else None
        for sentence in run:
            number += 1
            shared = {"id": sentence.id == id, "extra": sentence.extra == extra}
            held = [key for key in context.holds if shared.get(key, True)]
            report_unheld(sentence, number, context, holds=held)
        text, spans, scores = annotated_text_of(run)
        # A text without a name was identified by its id or its place.
        is_named = not first.unnamed and not (doc == id and len(run) > 1)
        yield TextRecord(text, spans, scores, id, doc if is_named else None, extra, run)


def read_one_sentence(
    text: str, spans: Sequence[Span], context: Context, *, doc: str | None = None
) -> Sentence:
    """The sentence of a text that is known to be a single one."""
    tokens = [token for part in context.split(text) for token in part]
    (sentence,) = sentences_from_text(text, spans, context, tokens=[tokens], doc=doc)
    sentence.unnamed = False
    return sentence


def report_tokens(
    run: Sequence[Sentence],
    context: Context,
    *,
    as_one_sentence: bool = False,
    split: Split = split_text,
) -> None:
    """Report if the text of ``run``, read again with the same options, has other tokens."""
    text, spans = text_of(run)
    quiet = Context(context.options, Report(keep=0), context.path)
    if as_one_sentence:
        again = [read_one_sentence(text, spans, quiet)]
    else:
        again = sentences_from_text(text, spans, quiet, tokens=split(text, quiet))
    before, after = ([s.tokens for s in sentences] for sentences in (run, again))
    if before == after:
        return
    sentence = _first_difference(before, after)
    old_tokens = before[sentence] if sentence < len(before) else []
    new_tokens = after[sentence] if sentence < len(after) else []
    place = _first_difference(old_tokens, new_tokens)
    name = run[0].doc or " ".join(run[0].tokens[:4])
    context.changed(
        "tokens",
        f"in {name!r}: read again with the tokenizer {context.options.tokenizer}, "
        f"{_shown(old_tokens, place)} becomes {_shown(new_tokens, place)}",
    )


def _first_difference(a: Sequence[object], b: Sequence[object]) -> int:
    """The first index at which the two differ; the length of the shorter if none."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _shown(tokens: Sequence[str], place: int) -> str:
    return " ".join(map(repr, tokens[place : place + 3])) or "the end of the sentence"


def named_runs(sentences: Iterable[Sentence]) -> Iterator[tuple[str | None, list[Sentence]]]:
    """Documents with their names; sentences without a document come in runs of bounded length."""
    texts = itertools.count()

    def document(sentence: Sentence) -> tuple[object, bool]:
        is_text = sentence.doc is None and sentence.unnamed
        return next(texts) if is_text else sentence.doc, sentence.unnamed

    for (doc, is_unnamed), run in groupby(sentences, key=document):
        if doc is not None:
            yield (None if is_unnamed else str(doc)), list(run)
            continue
        while part := list(islice(run, _UNNAMED)):
            yield None, part
