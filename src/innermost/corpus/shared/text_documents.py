"""Documents for formats of text and character spans, which hold no tokens of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.character_spans import (
    sentences_from_text,
    sentences_from_tokens,
    text_of,
)
from innermost.nest import Span, crossing
from innermost.text import tokenizer

_UNNAMED = 1000


def read_text(
    text: str,
    spans: Sequence[Span],
    context: Context,
    *,
    doc: str | None = None,
    extra: Mapping[str, Any] | None = None,
    scores: Mapping[Span, float] | None = None,
) -> list[Sentence]:
    """The sentences of a text; with the setting ``sentences=lines`` each line is one."""
    if context.options.choice("sentences", ("split", "lines")) == "split":
        return sentences_from_text(text, spans, context, doc=doc, extra=extra, scores=scores)
    lines = _tokens_by_line(text, context.options.tokenizer)
    return sentences_from_tokens(text, lines, spans, context, doc=doc, extra=extra, scores=scores)


def read_one_sentence(
    text: str, spans: Sequence[Span], context: Context, *, doc: str | None = None
) -> Sentence:
    """The sentence of a text that is known to be just one."""
    split = tokenizer(context.options.tokenizer).split
    tokens = [token for part in split(text) for token in part]
    (sentence,) = sentences_from_tokens(text, [tokens], spans, context, doc=doc)
    sentence.unnamed = False
    return sentence


def report_tokens(
    run: Sequence[Sentence], context: Context, *, as_one_sentence: bool = False
) -> None:
    """Report when the text of ``run``, read again with the same options, has other tokens."""
    text, spans = text_of(run)
    quiet = Context(context.options, Report(keep=0), context.path)
    if as_one_sentence:
        again = [read_one_sentence(text, spans, quiet)]
    else:
        again = read_text(text, spans, quiet)
    before, after = ([s.tokens for s in sentences] for sentences in (run, again))
    if before == after:
        return
    sentence = _first_difference(before, after)
    given = before[sentence] if sentence < len(before) else []
    found = after[sentence] if sentence < len(after) else []
    place = _first_difference(given, found)
    name = run[0].doc or " ".join(run[0].tokens[:4])
    context.changed(
        "tokens",
        f"in {name!r}: read again with the tokenizer {context.options.tokenizer}, "
        f"{_shown(given, place)} becomes {_shown(found, place)}",
    )


def _first_difference(a: Sequence[object], b: Sequence[object]) -> int:
    """The first index at which the two differ; the length of the shorter if none."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _shown(tokens: Sequence[str], place: int) -> str:
    return " ".join(map(repr, tokens[place : place + 3])) or "the end of the sentence"


def named_runs(sentences: Iterable[Sentence]) -> Iterator[tuple[str | None, list[Sentence]]]:
    """Documents with their names; sentences of no known document go in runs of bounded length."""
    texts = iter(range(1 << 62))

    def document(sentence: Sentence) -> tuple[object, bool]:
        is_text = sentence.doc is None and sentence.unnamed
        return next(texts) if is_text else sentence.doc, sentence.unnamed

    for (doc, is_unnamed), run in groupby(sentences, key=document):
        if doc is not None:
            yield (None if is_unnamed else str(doc)), list(run)
            continue
        while part := list(islice(run, _UNNAMED)):
            yield None, part


def without_crossings(spans: Iterable[Span], text: str, context: Context) -> list[Span]:
    """The spans that brackets can hold; of two that cross, the shorter is reported as lost."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.start, s.label)):
        other = next((o for o in kept if crossing(o, span)), None)
        if other is None:
            kept.append(span)
            continue
        context.lost(
            "crossing span",
            f"{span.label} {text[span.start : span.end]!r} crosses "
            f"{other.label} {text[other.start : other.end]!r}",
        )
    return kept


def _tokens_by_line(text: str, tokenizer_name: str) -> list[list[tuple[int, int]]]:
    split = tokenizer(tokenizer_name).split
    lines: list[list[tuple[int, int]]] = []
    position = 0
    for line in text.split("\n"):
        tokens = [token for sentence in split(line) for token in sentence]
        lines.append([(position + start, position + end) for start, end in tokens])
        position += len(line) + 1
    return lines
