"""The tree that the non-crossing spans of one type form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from innermost.nest.crossings import separate
from innermost.nest.span import Span, merge_duplicates


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
    kept, crossings = separate(distinct)
    roots: list[Node] = []
    around: list[Node] = []
    for span in sorted(kept, key=lambda s: (s.start, -s.end)):
        while around and around[-1].span.end <= span.start:
            around.pop()
        node = Node(span)
        (around[-1].children if around else roots).append(node)
        around.append(node)
    return Tree(roots, duplicates, sorted(crossing.lost for crossing in crossings))
