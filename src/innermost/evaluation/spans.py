"""Entities in token offsets, in the forms in which corpora and models give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, TypeAlias

from innermost.document import Entity
from innermost.errors import UsageError
from innermost.nest import Span

AnySpan: TypeAlias = Span | Sequence[Any] | Entity
"""Start, end and label, and anything after them; or an entity of a document."""


def spans_of(entities: Iterable[AnySpan]) -> list[Span]:
    return [entity if type(entity) is Span else _span(entity) for entity in entities]


def _span(entity: Any) -> Span:
    if isinstance(entity, Entity):
        return Span(entity.token_start, entity.token_end, entity.label)
    try:
        start, end, label, *_ = entity
        if isinstance(label, str) and not isinstance(entity, dict):
            return Span(index(start), index(end), label)
    except (TypeError, ValueError):
        pass
    raise UsageError(
        f"not an entity in token offsets: {entity!r}",
        hint="give (start, end, label), where start and end count tokens, what "
        "nlp.predict_sentences returns, or the entities of a Document",
    )
