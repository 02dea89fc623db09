"""Convert between text with character spans and tokenized sentences with token spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence, gaps_between
from innermost.nest import Span
from innermost.text.align import BLANK, Alignment, Offsets, align

_SHOWN = 80
"""Characters of a span in a message."""


def sentences_from_text(
    text: str,
    spans: Sequence[Span],
    context: Context,
    *,
    tokens: Sequence[Sequence[Offsets]] | None = None,
    doc: str | None = None,
    extra: Mapping[str, Any] | None = None,
    scores: Mapping[Span, float] | None = None,
) -> list[Sentence]:
    """The sentences of a document given as text and character spans.

    ``tokens`` are the character offsets of known tokens, in order, for each sentence; without them
    the tokenizer finds sentences and tokens. The texts of the sentences concatenate to ``text``.
    Every entity is kept: where one crosses a sentence boundary, the sentences are joined, which is
    reported. Without ``doc`` the document is named by its place.
    """
    sentences = split_text(text, context) if tokens is None else tokens
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
        start, end, _ = case.span
        detail = f"{_shown(case.span)} {text[start : min(end, start + _SHOWN)]!r}"
        if inside_token == "error":
            raise context.wrong(
                f"a span does not fit the tokens: {detail}: {case.what}",
                hint="correct the span, or choose to split the token or widen the span",
            )
        context.changed(case.what, detail)
    span_scores = [(scores or {}).get(span) for span in spans]
    groups = _grouped(alignment, span_scores, context)
    # Later, only the name identifies the sentences of one document.
    name = context.name if doc is None and len(groups) > 1 else doc
    built: list[Sentence] = []
    for index, group in enumerate(groups):
        begin = 0 if index == 0 else group.tokens[0][0]
        end = len(text) if index == len(groups) - 1 else groups[index + 1].tokens[0][0]
        built.append(
            Sentence(
                tokens=[text[a:b] for a, b in group.tokens],
                entities=group.entities,
                gaps=gaps_between(text, group.tokens, begin, end),
                doc=name,
                extra=dict(extra or {}),
                scores=group.scores,
                line=context.line,
                unnamed=doc is None,
            )
        )
    return built


class AnnotatedText(NamedTuple):
    """A document: its text, and its entities as character spans."""

    text: str
    spans: list[Span]
    scores: dict[Span, float]


def text_of(sentences: Sequence[Sentence]) -> tuple[str, list[Span]]:
    """A document's text and its entities as character spans."""
    text, spans, _ = annotated_text_of(sentences)
    return text, spans


def annotated_text_of(sentences: Sequence[Sentence]) -> AnnotatedText:
    """The same with the scores of the entities."""
    texts: list[str] = []
    spans: list[Span] = []
    scores: dict[Span, float] = {}
    position = 0
    for sentence in sentences:
        offsets = sentence.token_offsets()
        for entity in sentence.entities:
            start = position + offsets[entity.start][0]
            span = Span(start, position + offsets[entity.end - 1][1], entity.label)
            spans.append(span)
            if entity in sentence.scores:
                scores[span] = sentence.scores[entity]
        texts.append(sentence.text)
        position += len(texts[-1])
    return AnnotatedText("".join(texts), spans, scores)


@dataclass(slots=True)
class _Group:
    """The tokens and entities of one sentence, which begins with token number ``first``."""

    first: int
    tokens: list[Offsets] = field(default_factory=list)
    entities: list[Span] = field(default_factory=list)
    scores: dict[Span, float] = field(default_factory=dict)


def _grouped(
    alignment: Alignment, scores: Sequence[float | None], context: Context
) -> list[_Group]:
    """Sentences, joined where an entity crosses their boundary."""
    sentences = [sentence for sentence in alignment.tokens if sentence]
    if not sentences:
        return [_Group(0)]
    owner = [index for index, sentence in enumerate(sentences) for _ in sentence]
    reach = list(range(len(sentences)))
    """The last sentence of an entity that begins in the sentence."""
    for span in alignment.spans:
        if span and (first := owner[span.start]) != (last := owner[span.end - 1]):
            context.changed("entity across sentences", f"{span.label}: sentences joined")
            reach[first] = max(reach[first], last)
    joined = [False] + [before > number for number, before in enumerate(accumulate(reach, max))][
        :-1
    ]
    groups: list[_Group] = []
    place: list[_Group] = []
    for sentence, with_previous in zip(sentences, joined, strict=True):
        if not with_previous:
            groups.append(_Group(len(place)))
        groups[-1].tokens += sentence
        place += [groups[-1]] * len(sentence)
    for span, score in zip(alignment.spans, scores, strict=True):
        if span is None:
            continue
        group = place[span.start]
        entity = Span(span.start - group.first, span.end - group.first, span.label)
        group.entities.append(entity)
        if score is not None:
            group.scores[entity] = score
    return groups


def split_text(text: str, context: Context) -> Sequence[Sequence[Offsets]]:
    """The tokens of each sentence; with the setting ``sentences=lines`` each line is one."""
    if context.options.choice("sentences", ("split", "lines")) == "split":
        return context.split(text)
    lines: list[list[Offsets]] = []
    position = 0
    for line in text.split("\n"):
        tokens = [token for sentence in context.split(line) for token in sentence]
        lines.append([(position + start, position + end) for start, end in tokens])
        position += len(line) + 1
    return lines


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
