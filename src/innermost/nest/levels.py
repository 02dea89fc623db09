"""The nesting depth of each span among the spans of the same type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from innermost.nest.span import Span


def levels(spans: Sequence[Span]) -> list[int]:
    """The level of each span, in the order given: 1 for the outermost of its type.

    A span's level is one more than the longest chain of same-type spans around it, so it is
    defined for crossing spans too, and exact duplicates share a level.
    """
    if apart(spans):
        return [1] * len(spans)
    by_label: dict[str, set[Span]] = defaultdict(set)
    for span in spans:
        by_label[span.label].add(span)
    level: dict[Span, int] = {}
    for distinct in by_label.values():
        if apart(distinct):
            level.update(dict.fromkeys(distinct, 1))
            continue
        depths = _Deepest(max(span.end for span in distinct))
        for span in sorted(distinct, key=lambda s: (s.start, -s.end)):
            # All spans that begin earlier, or here and are longer, have been seen.
            level[span] = 1 + depths.at_least(span.end)
            depths.add(span.end, level[span])
    return [level[span] for span in spans]


def apart(spans: Iterable[Span]) -> bool:
    """Whether no two of the spans share a token: the common case, and fast to check."""
    reached = 0
    for start, end, _ in sorted(spans):
        if start < reached:
            return False
        reached = end
    return True


class _Deepest:
    """The deepest level among the spans that reach at least so far: a Fenwick tree."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._tree = [0] * (size + 1)

    def add(self, end: int, level: int) -> None:
        place = self._size - end + 1
        while place <= self._size:
            self._tree[place] = max(self._tree[place], level)
            place += place & -place

    def at_least(self, end: int) -> int:
        place = self._size - end + 1
        deepest = 0
        while place > 0:
            deepest = max(deepest, self._tree[place])
            place -= place & -place
        return deepest
