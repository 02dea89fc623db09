"""The entities of a Doc: the spans of its groups, with their scores, and ``doc.ents``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from innermost.corpus.context import Context
from innermost.nest import Span

ENTITIES = "ents"
"""Chosen like a group: ``doc.ents``."""
SCORES = "scores"
"""The attribute of a group with the scores of its spans, as spaCy's spancat and we write it."""
_DERIVED = frozenset({"levels", "parents"})
"""Attributes of our component that follow from the spans."""
_SHOWN = 60


def entities_of(doc: Any, number: int, context: Context) -> tuple[list[Span], dict[Span, float]]:
    """The entities by token, and the scores of those that have one; reports what is not read."""
    chosen = _chosen(doc, number, context)
    spans = [Span(s.start, s.end, s.label_) for s in chain.from_iterable(chosen)]
    if any(not span.label for span in spans):
        raise context.wrong(f"document {number} has a span without a label")
    if any(not 0 <= span.start < span.end <= len(doc) for span in spans):
        raise context.wrong(f"document {number} has a span that is empty or outside its tokens")
    scores = chain.from_iterable(_scores(group, number, context) for group in chosen)
    scored = {span: score for span, score in zip(spans, scores, strict=True) if score is not None}
    for span in chain.from_iterable(chosen):
        if span.kb_id_:
            context.lost("normalization", f"{span.text[:_SHOWN]!r} is {span.kb_id_}")
    return spans, scored


def report_unread(doc: Any, number: int, known: str, context: Context) -> None:
    """Report what a Doc has besides its tokens and entities; ``known`` is a key that is read."""
    for category in doc.cats:
        context.lost("category of a document", f"{category!r} of document {number}")
    for key in doc.user_data:
        if key != known:
            context.lost("key of a document", f"{key!r} of document {number}"[:_SHOWN])


def _chosen(doc: Any, number: int, context: Context) -> list[Any]:
    """One group of spans, or all groups and the entities in none of them."""
    name = context.options.settings.get("group")
    if name == ENTITIES:
        return [doc.ents]
    if name is not None:
        if name not in doc.spans:
            known = ", ".join(doc.spans) or "no groups"
            raise context.wrong(
                f"document {number} has no span group {name!r}",
                hint=f"it has: {known}; for doc.ents set group=ents",
            )
        return [doc.spans[name]]
    groups = list(doc.spans.values())
    grouped = {_key(span) for span in chain.from_iterable(groups)}
    return [*groups, [span for span in doc.ents if _key(span) not in grouped]]


def _key(span: Any) -> tuple[int, int, str]:
    return span.start, span.end, span.label_


def _scores(group: Any, number: int, context: Context) -> Iterator[float | None]:
    """A score or None for each span of a group."""
    attributes = getattr(group, "attrs", {})
    for name in attributes.keys() - _DERIVED - {SCORES}:
        context.lost("attribute of a span group", f"{name!r} of document {number}")
    scores = attributes.get(SCORES)
    if scores is not None and not _are_scores(scores, len(group)):
        context.changed("scores", f"of document {number}: dropped, as they are no probabilities")
        scores = None
    for index in range(len(group)):
        score = None if scores is None else scores[index]
        yield None if score is None else float(score)


def _are_scores(values: Any, size: int) -> bool:
    """Whether there is a probability or None for each of ``size`` spans."""
    try:
        numbers: Iterable[float] = [float(value) for value in values if value is not None]
        return len(values) == size and all(0 <= number <= 1 for number in numbers)
    except (TypeError, ValueError):
        return False
