"""The tree that the non-crossing spans of one type form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from innermost.nest.span import Span, crossing, merge_duplicates


@dataclass(slots=True)
class Node:
    span: Span
    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Tree:
    """The spans of one type as a forest, and the spans that do not fit."""

    roots: list[Node]
    duplicates: int
    left_out: list[Span]
    """Spans that cross one that is kept: the method cannot represent them."""


def tree(spans: Iterable[Span]) -> Tree:
    """The forest of ``spans``, all of one type.

    Exact duplicates are merged. Of two crossing spans the shorter is dropped; of two of the same
    length, the one that starts later.
    """
    distinct, duplicates = merge_duplicates(spans)
    kept, left_out = _without_crossings(distinct)
    roots: list[Node] = []
    around: list[Node] = []
    for span in sorted(kept, key=lambda s: (s.start, -s.end)):
        while around and around[-1].span.end <= span.start:
            around.pop()
        node = Node(span)
        (around[-1].children if around else roots).append(node)
        around.append(node)
    return Tree(roots, duplicates, left_out)


def _without_crossings(spans: list[Span]) -> tuple[list[Span], list[Span]]:
    kept: list[Span] = []
    left_out: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start - s.end, s.start)):
        crosses = any(crossing(span, other) for other in kept)
        (left_out if crosses else kept).append(span)
    return kept, sorted(left_out)
