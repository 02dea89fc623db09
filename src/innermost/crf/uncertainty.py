"""How uncertain a model is about a sentence: the entropy of its CRFs.

The entropy of a distribution over paths is ``log Z - E[score]``, and the expected score is the
derivative of ``log Z`` when all emissions are scaled by a factor near 1. So the recurrence that
sums over all paths is enough, run three times.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from innermost.arrays import Doubles
from innermost.crf.decoding import by_length
from innermost.crf.entities import Entities
from innermost.crf.lattice import Lattice, lattice_of, scan, scan_without_best

_STEP = 1e-5
"""The step of the central difference; its error is too small to affect the ranking."""


def entropy(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    entities: Entities,
    scores: Doubles,
) -> Doubles:
    """``[batch]``: the uncertainty about each sentence, in nats, summed over all types.

    It is the entropy of the outermost tags of the sentence and, for every entity of two or more
    tokens, the entropy of the tags inside it, weighted by the entity's probability.
    ``entities`` and ``scores`` are those of :func:`find` and :func:`score`.
    """
    every = lattice_of(emissions, lengths, np.logaddexp)
    by_row = _entropy(every, _log_partition)
    (multi,) = (entities.end - entities.start > 1).nonzero()
    groups = by_length(entities.end[multi] - entities.start[multi]) if len(multi) else []
    for group in groups:
        inside = multi[group]
        rows = entities.row[inside]
        part = every.spans(rows, entities.start[inside], entities.end[inside])
        weighted = scores[inside] * _entropy(part, _log_partition_without_best)
        np.add.at(by_row, rows, weighted)
    total: Doubles = by_row.reshape(len(emissions), -1).sum(axis=1)
    return total


def _entropy(lattice: Lattice, log_partition: Callable[[Lattice], Doubles]) -> Doubles:
    """``[row]``: the entropy of the distribution over the paths of each row."""
    factors = (1.0, 1.0 + _STEP, 1.0 - _STEP)
    tags = np.concatenate([factor * lattice.tags for factor in factors], axis=2)
    lengths = np.concatenate([lattice.lengths] * len(factors))
    plain, more, less = np.split(log_partition(Lattice(tags, lengths, lattice.plus)), 3)
    expected_score = (more - less) / (2 * _STEP)
    return np.maximum(plain - expected_score, 0.0)


def _log_partition(lattice: Lattice) -> Doubles:
    _, gain = scan(lattice, lattice.enter())
    return _total(gain, lattice)


def _log_partition_without_best(lattice: Lattice) -> Doubles:
    _, gain, _ = scan_without_best(lattice, lattice.enter())
    return _total(gain, lattice)


def _total(gain: Doubles, lattice: Lattice) -> Doubles:
    within = np.arange(len(gain))[:, None] < lattice.lengths
    total: Doubles = gain.sum(axis=0, where=within)
    return total
