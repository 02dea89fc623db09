"""Scores with a looser idea of a match, to tell boundary trouble from type trouble."""

from __future__ import annotations

from collections.abc import Collection

from innermost.evaluation.counts import Counts
from innermost.nest import Span


class LooseMatches:
    """Three scores beside the exact one.

    - ``boundaries``: start and end are right, the type does not matter;
    - ``type``: an entity of the same type that shares at least one token;
    - ``tokens``: of each entity, the tokens that it shares with the same-type entity of the other
      side that it shares most with; so this one counts tokens, and long entities weigh more.
    """

    def __init__(self) -> None:
        self.boundaries = Counts()
        self.type = Counts()
        self.tokens = Counts()

    def add(self, gold: Collection[Span], predicted: Collection[Span]) -> None:
        gold_set, predicted_set = set(gold), set(predicted)
        if not gold_set and not predicted_set:
            return
        gold_edges = {(s.start, s.end) for s in gold_set}
        predicted_edges = {(s.start, s.end) for s in predicted_set}
        self.boundaries += Counts(
            len(gold_edges), len(predicted_edges), len(gold_edges & predicted_edges)
        )
        of_gold = _shared(gold_set, predicted_set)
        of_predicted = _shared(predicted_set, gold_set)
        self.type += Counts(
            len(gold_set),
            len(predicted_set),
            sum(n > 0 for n in of_predicted),
            sum(n > 0 for n in of_gold),
        )
        self.tokens += Counts(
            sum(s.end - s.start for s in gold_set),
            sum(s.end - s.start for s in predicted_set),
            sum(of_predicted),
            sum(of_gold),
        )

    @property
    def tables(self) -> dict[str, Counts]:
        return {"boundaries": self.boundaries, "type": self.type, "tokens": self.tokens}


def shared_tokens(a: Span, b: Span) -> int:
    return max(0, min(a.end, b.end) - max(a.start, b.start))


def _shared(spans: set[Span], others: set[Span]) -> list[int]:
    """For each span the most tokens it shares with one of ``others`` of its type."""
    return [
        span.end - span.start
        if span in others
        else max((shared_tokens(span, o) for o in others if o.label == span.label), default=0)
        for span in spans
    ]
