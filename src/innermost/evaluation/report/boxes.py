"""A sentence with its entities drawn as boxes within boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from innermost.nest import Node, Span, tree

_DEEPEST_STYLE = 6

Mark = Callable[[Span], tuple[str, str]]
"""The CSS class of an entity's box, and what its label says after the type."""


def boxes(tokens: Sequence[str], spans: Iterable[Span], mark: Mark) -> list[str]:
    """The sentence as HTML: one line, and one more for each set of entities that cross those."""
    lines: list[str] = []
    waiting = list(spans)
    while waiting or not lines:
        forest = tree(waiting)
        waiting = forest.left_out
        pieces = _pieces(tokens, 0, len(tokens), forest.roots, mark)
        deepest = max((_height(root) for root in forest.roots), default=0)
        lines.append(f'<p class="text d{min(deepest, _DEEPEST_STYLE)}">{pieces}</p>')
    return lines


def _pieces(tokens: Sequence[str], start: int, end: int, nodes: Sequence[Node], mark: Mark) -> str:
    pieces: list[str] = []
    for node in nodes:
        pieces += map(escape, tokens[start : node.span.start])
        pieces.append(_box(tokens, node, mark))
        start = node.span.end
    pieces += map(escape, tokens[start:end])
    return " ".join(pieces)


def _box(tokens: Sequence[str], node: Node, mark: Mark) -> str:
    start, end, label = node.span
    kind, remark = mark(node.span)
    height = min(_height(node) - 1, _DEEPEST_STYLE)
    inside = _pieces(tokens, start, end, node.children, mark)
    return f'<span class="e {kind} h{height}">{inside}<b>{escape(label)}{remark}</b></span>'


def _height(node: Node) -> int:
    return 1 + max(map(_height, node.children), default=0)
