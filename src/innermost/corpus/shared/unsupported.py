"""Report what an output format cannot store, in the same way for all formats."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.sentence import Sentence
from innermost.nest import Span


def report_unheld(
    sentence: Sentence, number: int, context: Context, *, holds: Collection[str] | None = None
) -> None:
    """Report those of ``id``, ``doc``, ``extra``, ``gaps``, ``scores`` that cannot be stored.

    ``number`` counts the sentences from 1, for the message. ``holds`` is what the format can store
    here, if that is less than usual.
    """
    holds = context.holds if holds is None else holds
    where = f"of sentence {number}"
    if sentence.id is not None and "id" not in holds:
        context.lost("sentence id", f"{sentence.id!r} {where}")
    if sentence.doc is not None and not sentence.unnamed and "doc" not in holds:
        context.lost("document name", f"{sentence.doc!r} {where}")
    if sentence.extra and "extra" not in holds:
        for key in sentence.extra:
            context.lost("extra key", f"{key!r} {where}")
    if sentence.scores and "scores" not in holds:
        context.changed("scores", f"{len(sentence.scores)} {where}: dropped")
    if "gaps" not in holds and sentence.gaps is not None:
        plain = Sentence(sentence.tokens).filled_gaps()
        if sentence.gaps[1:-1] != plain[1:-1]:
            context.changed("whitespace", f"{where}: its tokens will be one space apart")


def lose_sentence(sentence: Sentence, number: int, why: str, context: Context) -> None:
    """Report that a whole sentence is dropped because the format cannot store it."""
    context.lost("sentence", f"sentence {number}: {why}")
    context.report.unwritten_sentences += 1
    context.report.unwritten_entities += len(sentence.entities)


def lose_entity(what: str, detail: str, context: Context) -> None:
    """Report that an entity of a sentence is dropped because the format cannot store it."""
    context.lost(what, detail)
    context.report.unwritten_entities += 1


def with_extra(
    record: dict[str, Any],
    sentence: Sentence,
    number: int,
    context: Context,
    *,
    placed: Collection[str] = (),
) -> dict[str, Any]:
    """The record with the sentence's extra keys, except names that the format itself uses."""
    for key, value in sentence.extra.items():
        if key in placed:
            continue
        if key in record:
            context.lost("extra key", f"{key!r} of sentence {number}: the name is taken")
        else:
            record[key] = value
    return record


def layers(spans: Iterable[Span]) -> list[list[Span]]:
    """The spans distributed over as few layers as possible, without overlaps in a layer.

    Outer spans come first; the number of layers is the largest number of spans over one token. Any
    set of spans fits: crossings and duplicates open further layers.
    """
    dealt: list[list[Span]] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end, s.label)):
        for layer in dealt:
            if layer[-1].end <= span.start:
                layer.append(span)
                break
        else:
            dealt.append([span])
    return dealt
