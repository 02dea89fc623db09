"""Confidence intervals of scores, and significance of the difference between two.

A *unit* is what is drawn or swapped as a whole: a sentence, or a document if sentences within a
document are alike. It is a row of the four numbers of ``Counts``: gold, predicted, correct, found.
Units with equal rows are interchangeable, so both resampling schemes draw how often each distinct
row occurs instead of drawing units: the same distribution, at a cost that does not grow with the
size of the data.

Bootstrap draws with neither gold entities nor predictions, which small data may have, have no score
and are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from innermost.arrays import Bools, Doubles, Ints

COLUMNS = ("gold", "predicted", "correct", "found")
SCORES = ("precision", "recall", "f1")
EXACT_LIMIT = 1 << 18
"""Up to this many distinct outcomes, the permutation test enumerates instead of sampling."""
_CELLS_AT_ONCE = 1 << 24
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval around a score."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Micro-F1 of two systems on the same units; ``difference`` is the first minus the second."""

    difference: Interval
    p_value: float
    exact: bool
    """Whether all permutations were counted; otherwise ``p_value`` is an estimate."""
    units: int


def f1(totals: Ints) -> Doubles:
    """[..., 4] -> [...]."""
    return _scores(totals)[..., 2]


def bootstrap(
    rows: Ints, *, samples: int = 2000, confidence: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Percentile intervals of precision, recall and F1, drawing units with replacement."""
    totals = _resample(rows, samples, np.random.default_rng(seed))
    low, high = _tails(_scores(totals[_has_score(totals)]), confidence)
    value = _scores(rows.sum(axis=0))
    return {
        name: Interval(float(value[i]), float(low[i]), float(high[i]))
        for i, name in enumerate(SCORES)
    }


def compare(
    first: Ints,
    second: Ints,
    *,
    samples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Two systems on the same units: bootstrap interval and permutation test of the F1 difference.

    The null hypothesis is that the two are interchangeable: on each unit, a coin toss decides
    which system made which predictions. Exact if few units differ, otherwise sampled.
    """
    if first.shape != second.shape:
        raise ValueError(f"the systems have {len(first)} and {len(second)} units")
    rng = np.random.default_rng(seed)
    both = np.concatenate([first, second], axis=1)
    totals = _resample(both, samples, rng)
    ours, theirs = totals[:, :4], totals[:, 4:]
    drawn = (f1(ours) - f1(theirs))[_has_score(ours) & _has_score(theirs)]
    low, high = _tails(drawn, confidence)
    value = float(f1(first.sum(axis=0)) - f1(second.sum(axis=0)))
    p_value, exact = permutation_test(first, second, samples=samples, rng=rng)
    return Comparison(Interval(value, float(low), float(high)), p_value, exact, len(first))


def permutation_test(
    first: Ints, second: Ints, *, samples: int, rng: np.random.Generator
) -> tuple[float, bool]:
    """The two-sided p-value of the F1 difference, and whether it is exact."""
    sums = first.sum(axis=0), second.sum(axis=0)
    observed = abs(f1(sums[0]) - f1(sums[1]))
    change, times = distinct_rows(first - second)
    differing = change.any(axis=1)
    change, times = change[differing], times[differing]
    if not len(times):
        return 1.0, True

    def as_extreme(swapped: Ints) -> Bools:
        moved = swapped @ change
        return np.abs(f1(sums[0] - moved) - f1(sums[1] + moved)) >= observed - _EPSILON

    outcomes = prod(int(n) + 1 for n in times)
    if outcomes <= EXACT_LIMIT:
        swapped = np.stack(np.unravel_index(np.arange(outcomes), times + 1), axis=1)
        weight = np.ones(len(swapped))
        for column, n in enumerate(times):
            weight *= _coin_tosses(int(n))[swapped[:, column]]
        return float(min(1.0, weight[as_extreme(swapped)].sum())), True
    extreme = 0
    for size in _chunks(samples, len(times)):
        swapped = rng.binomial(times, 0.5, size=(size, len(times)))
        extreme += int(as_extreme(swapped).sum())
    # The observed arrangement is one of the permutations, so p is never 0.
    return (extreme + 1) / (samples + 1), False


def _coin_tosses(n: int) -> Doubles:
    """P(k heads of n) for k = 0..n."""
    result = np.ones(1)
    for _ in range(n):
        result = np.convolve(result, [0.5, 0.5])
    return result


def _resample(rows: Ints, samples: int, rng: np.random.Generator) -> Ints:
    """Column sums of ``samples`` bootstrap draws, [samples, columns]."""
    if not len(rows):
        return np.zeros((samples, rows.shape[1]), dtype=np.int64)
    distinct, times = distinct_rows(rows)
    drawn = [
        rng.multinomial(len(rows), times / len(rows), size=size) @ distinct
        for size in _chunks(samples, len(distinct))
    ]
    return np.concatenate(drawn)


def distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """The distinct rows in ascending order, and how often each occurs.

    Small numbers, the usual case, are packed into one: sorting those is ten times as fast.
    """
    least = rows.min(axis=0, initial=0)
    sizes = rows.max(axis=0, initial=0) - least + 1
    if prod(map(int, sizes)) >= 1 << 62:
        return np.unique(rows, axis=0, return_counts=True)
    packed = np.ravel_multi_index(tuple((rows - least).T), tuple(sizes))
    values, times = np.unique(packed, return_counts=True)
    return np.stack(np.unravel_index(values, tuple(sizes)), axis=1) + least, times


def _chunks(samples: int, width: int) -> list[int]:
    """``samples`` in pieces, so that an array of piece x ``width`` stays small."""
    most = max(1, _CELLS_AT_ONCE // max(1, width))
    full, rest = divmod(samples, most)
    return [most] * full + [rest] * (rest > 0)


def _scores(totals: Ints) -> Doubles:
    """Precision, recall and F1 of sums: [..., 4] -> [..., 3]."""
    gold, predicted, correct, found = np.moveaxis(totals.astype(np.float64), -1, 0)
    precision = _ratio(correct, predicted)
    recall = _ratio(found, gold)
    harmonic = _ratio(2 * precision * recall, precision + recall)
    return np.stack([precision, recall, harmonic], axis=-1)


def _ratio(above: Doubles, below: Doubles) -> Doubles:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _has_score(totals: Ints) -> Bools:
    """Whether there are entities, gold or predicted: [n, 4] -> [n]."""
    return (totals[:, 0] > 0) | (totals[:, 1] > 0)


def _tails(drawn: Doubles, confidence: float) -> tuple[Doubles, Doubles]:
    """The bounds of a percentile interval of each column; 0 without draws."""
    if not len(drawn):
        return np.zeros(drawn.shape[1:]), np.zeros(drawn.shape[1:])
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return low, high
