"""Remove crossing spans, which brackets and tags cannot represent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from innermost.corpus.context import Context
from innermost.corpus.shared.unsupported import lose_entity
from innermost.nest import Span, separate


def without_crossings(
    spans: Iterable[Span], context: Context, *, text: Callable[[Span], str]
) -> list[Span]:
    """The spans that brackets can represent; the shorter of two that cross is reported lost."""
    kept, crossings = separate(spans)
    for lost, other in crossings:
        detail = f"{lost.label} {text(lost)[:60]!r} crosses {other.label} {text(other)[:60]!r}"
        lose_entity("crossing span", detail, context)
    return kept
