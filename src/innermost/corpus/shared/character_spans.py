"""Between text with character spans and sentences of tokens with token spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.nest import Span
from innermost.text import tokenizer
from innermost.text.align import BLANK, Alignment, Offsets, align


def sentences_from_text(
    text: str,
    spans: Sequence[Span],
    context: Context,
    *,
    doc: str | None = None,
    extra: Mapping[str, Any] | None = None,
) -> list[Sentence]:
    """The sentences of a document given as text and character spans.

    Their texts concatenate to ``text``. Every entity is kept: sentences are joined where one runs
    over their border, and reported.
    """
    sentences = tokenizer(context.options.tokenizer).split(text)
    return sentences_from_tokens(text, sentences, spans, context, doc=doc, extra=extra)


def sentences_from_tokens(
    text: str,
    sentences: Sequence[Sequence[Offsets]],
    spans: Sequence[Span],
    context: Context,
    *,
    doc: str | None = None,
    extra: Mapping[str, Any] | None = None,
) -> list[Sentence]:
    """The same with the tokens given: for each sentence their character offsets, in order."""
    _check_tokens(text, sentences, context)
    for span in spans:
        if not 0 <= span.start < span.end <= len(text):
            raise context.wrong(
                f"the span {_shown(span)} is empty or outside the text of {len(text)} characters",
                hint="start is inclusive, end is exclusive, both count characters from 0",
            )
    inside_token = context.options.inside_token
    alignment = align(text, sentences, spans, split=inside_token != "widen")
    for case in alignment.cases:
        if case.what == BLANK:
            context.lost(case.what, _shown(case.span))
            continue
        detail = f"{_shown(case.span)} {text[case.span.start : case.span.end]!r}"
        if inside_token == "error":
            raise context.wrong(
                f"a span does not fit the tokens: {detail}: {case.what}",
                hint="correct the span, or choose to split the token or to widen the span",
            )
        context.changed(case.what, detail)
    groups, entities = _grouped(alignment, context)
    if doc is None and len(groups) > 1:
        # Only sentences with the same name are known to be one document later.
        name, line = Path(context.path).name, context.line
        doc = name if line is None else f"{name}:{line}"
    built: list[Sentence] = []
    for index, (tokens, inside) in enumerate(zip(groups, entities, strict=True)):
        begin = 0 if index == 0 else tokens[0][0]
        end = len(text) if index == len(groups) - 1 else groups[index + 1][0][0]
        built.append(
            Sentence(
                tokens=[text[a:b] for a, b in tokens],
                entities=inside,
                gaps=_gaps(text, tokens, begin, end),
                doc=doc,
                extra=dict(extra or {}),
                line=context.line,
            )
        )
    return built


def text_of(sentences: Sequence[Sentence]) -> tuple[str, list[Span]]:
    """A document's text and its entities as character spans."""
    texts: list[str] = []
    spans: list[Span] = []
    position = 0
    for sentence in sentences:
        offsets = sentence.token_offsets()
        spans += [
            Span(position + offsets[start][0], position + offsets[end - 1][1], label)
            for start, end, label in sentence.entities
        ]
        texts.append(sentence.text)
        position += len(texts[-1])
    return "".join(texts), spans


def _grouped(
    alignment: Alignment, context: Context
) -> tuple[list[list[Offsets]], list[list[Span]]]:
    """Sentences, joined where an entity runs over their border, and the entities of each."""
    sentences = [sentence for sentence in alignment.tokens if sentence]
    spans = [span for span in alignment.spans if span is not None]
    if not sentences:
        return [[]], [[]]
    owner = [index for index, sentence in enumerate(sentences) for _ in sentence]
    joined = [False] * len(sentences)
    for span in spans:
        first, last = owner[span.start], owner[span.end - 1]
        if first != last:
            context.changed("entity across sentences", f"{span.label}: sentences joined")
            joined[first + 1 : last + 1] = [True] * (last - first)
    groups: list[list[Offsets]] = []
    starts: list[int] = []
    place: list[int] = []
    position = 0
    for sentence, with_previous in zip(sentences, joined, strict=True):
        if with_previous:
            groups[-1] += sentence
        else:
            groups.append(list(sentence))
            starts.append(position)
        place += [len(groups) - 1] * len(sentence)
        position += len(sentence)
    entities: list[list[Span]] = [[] for _ in groups]
    for start, end, label in spans:
        index = place[start]
        entities[index].append(Span(start - starts[index], end - starts[index], label))
    return groups, entities


def _gaps(text: str, tokens: Sequence[Offsets], begin: int, end: int) -> list[str]:
    edges = [begin, *(edge for token in tokens for edge in token), end]
    return [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]


def _check_tokens(text: str, sentences: Sequence[Sequence[Offsets]], context: Context) -> None:
    previous = 0
    for sentence in sentences:
        for start, end in sentence:
            if not previous <= start < end <= len(text):
                raise context.wrong(
                    f"the token [{start}, {end}) is empty, outside the text or before the "
                    "end of the one before it"
                )
            previous = end


def _shown(span: Span) -> str:
    return f"[{span.start}, {span.end}) {span.label}"
