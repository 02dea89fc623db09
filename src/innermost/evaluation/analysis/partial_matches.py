"""Scores with looser matching, to separate boundary errors from type errors."""

from __future__ import annotations

from collections.abc import Collection

from innermost.evaluation.counts import Counts, distinct
from innermost.nest import Span


class LooseMatches:
    """Three scores in addition to the exact one.

    - ``boundaries``: start and end are correct, the type does not matter;
    - ``type``: an entity of the same type that shares at least one token;
    - ``tokens``: for each entity, the tokens it shares with the same-type entity of the other side
      that it overlaps most; this counts tokens, so long entities weigh more.
    """

    def __init__(self) -> None:
        # In the order of the fields of Counts.
        self._boundaries = [0, 0, 0, 0]
        self._type = [0, 0, 0, 0]
        self._tokens = [0, 0, 0, 0]

    def add(self, gold: Collection[Span], predicted: Collection[Span]) -> None:
        gold_set, predicted_set = distinct(gold), distinct(predicted)
        if gold_set == predicted_set:
            self._add_all_right(gold_set)
            return
        right = gold_set & predicted_set
        missing, wrong = gold_set - right, predicted_set - right
        edges = {span[:2] for span in right}
        gold_edges = edges.union(span[:2] for span in missing) if missing else edges
        predicted_edges = edges.union(span[:2] for span in wrong) if wrong else edges
        same = len(gold_edges & predicted_edges)
        _increase(self._boundaries, len(gold_edges), len(predicted_edges), same, same)
        # Exact matches share all their tokens; only the rest needs a closer look.
        of_missing = _shared(missing, predicted_set)
        of_wrong = _shared(wrong, gold_set)
        touching_gold = len(gold_set) - of_missing.count(0)
        touching_predicted = len(predicted_set) - of_wrong.count(0)
        _increase(self._type, len(gold_set), len(predicted_set), touching_predicted, touching_gold)
        width = _width(right)
        _increase(
            self._tokens,
            width + _width(missing),
            width + _width(wrong),
            width + sum(of_wrong),
            width + sum(of_missing),
        )

    def _add_all_right(self, spans: set[Span]) -> None:
        edges, number, width = len({span[:2] for span in spans}), len(spans), _width(spans)
        _increase(self._boundaries, edges, edges, edges, edges)
        _increase(self._type, number, number, number, number)
        _increase(self._tokens, width, width, width, width)

    @property
    def tables(self) -> dict[str, Counts]:
        return {
            "boundaries": Counts(*self._boundaries),
            "type": Counts(*self._type),
            "tokens": Counts(*self._tokens),
        }


def _increase(tally: list[int], gold: int, predicted: int, correct: int, found: int) -> None:
    tally[0] += gold
    tally[1] += predicted
    tally[2] += correct
    tally[3] += found


def _width(spans: set[Span]) -> int:
    return sum([end - start for start, end, _ in spans])


def shared_tokens(a: Span, b: Span) -> int:
    (start, end, _), (other_start, other_end, _) = a, b
    return max(0, min(end, other_end) - max(start, other_start))


def _shared(spans: set[Span], others: set[Span]) -> list[int]:
    """For each span, the most tokens it shares with any of ``others`` of its type."""
    return [
        max([shared_tokens(span, other) for other in others if other[2] == span[2]], default=0)
        for span in spans
    ]
