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
        seen: list[Span] = []
        for span in sorted(distinct, key=lambda s: (s.start, -s.end)):
            level[span] = 1 + max((level[o] for o in seen if o.contains(span)), default=0)
            seen = [o for o in seen if o.end > span.start] + [span]
    return [level[span] for span in spans]


def apart(spans: Iterable[Span]) -> bool:
    """Whether no two of the spans share a token: the common case, and fast to check."""
    reached = 0
    for start, end, _ in sorted(spans):
        if start < reached:
            return False
        reached = end
    return True
