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
        # In the order of the fields of Counts.
        self._boundaries = [0, 0, 0, 0]
        self._type = [0, 0, 0, 0]
        self._tokens = [0, 0, 0, 0]

    def add(self, gold: Collection[Span], predicted: Collection[Span]) -> None:
        gold_set, predicted_set = set(gold), set(predicted)
        gold_edges = {(start, end) for start, end, _ in gold_set}
        predicted_edges = {(start, end) for start, end, _ in predicted_set}
        same = len(gold_edges & predicted_edges)
        _increase(self._boundaries, len(gold_edges), len(predicted_edges), same, same)
        of_gold = _shared(gold_set, predicted_set)
        of_predicted = _shared(predicted_set, gold_set)
        touching = len(of_predicted) - of_predicted.count(0), len(of_gold) - of_gold.count(0)
        _increase(self._type, len(gold_set), len(predicted_set), *touching)
        widths = (sum(end - start for start, end, _ in side) for side in (gold_set, predicted_set))
        _increase(self._tokens, *widths, sum(of_predicted), sum(of_gold))

    @property
    def tables(self) -> dict[str, Counts]:
        return {
            "boundaries": Counts(*self._boundaries),
            "type": Counts(*self._type),
            "tokens": Counts(*self._tokens),
        }


def _increase(tally: list[int], *numbers: int) -> None:
    for index, number in enumerate(numbers):
        tally[index] += number


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
