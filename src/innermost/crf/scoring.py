"""The probability of decoded entities under the model.

An outermost entity's score is its marginal under the sentence's CRF. An inner one's is its marginal
among all paths except ``B I .. I E`` inside its parent, times the parent's score.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from innermost.arrays import Doubles, Ints
from innermost.crf.decoding import by_length
from innermost.crf.entities import Entities, Entity, from_lists
from innermost.crf.lattice import Lattice, lattice_of, scan, scan_without_best


@overload
def score(
    emissions: npt.NDArray[np.floating], lengths: npt.ArrayLike, entities: Entities
) -> Doubles: ...


@overload
def score(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    entities: Sequence[Sequence[Entity]],
) -> list[list[float]]: ...


def score(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    entities: Entities | Sequence[Sequence[Entity]],
) -> Doubles | list[list[float]]:
    """The probability of each entity, in the form of the entities: lists as returned by
    :func:`decode`, or arrays."""
    if isinstance(entities, Entities):
        return _probabilities(emissions, lengths, entities)
    arrays = from_lists(entities, emissions.shape[1])
    flat = iter(_probabilities(emissions, lengths, arrays).tolist())
    return [[next(flat) for _ in sentence] for sentence in entities]


def _probabilities(
    emissions: npt.NDArray[np.floating], lengths: npt.ArrayLike, entities: Entities
) -> Doubles:
    result = np.empty(len(entities))
    if not len(result):
        return result
    every = lattice_of(emissions, lengths, np.logaddexp)
    path = _path_scores(every.tags, entities)
    (outer,) = (entities.parent < 0).nonzero()
    used, row = np.unique(entities.row[outer], return_inverse=True)
    whole = Lattice(every.tags.take(used, axis=2), every.lengths[used], every.plus)
    outside, total = _outside(whole, row, entities.start[outer], entities.end[outer])
    result[outer] = np.exp(path[outer] + outside - total)
    for level in range(2, int(entities.level.max()) + 1):
        (inner,) = (entities.level == level).nonzero()
        around = entities.parent[inner]
        for group in by_length(entities.end[around] - entities.start[around]):
            parents, parent = np.unique(around[group], return_inverse=True)
            starts, ends = entities.start[parents], entities.end[parents]
            part = every.spans(entities.row[parents], starts, ends)
            child, first = inner[group], starts[parent]
            outside, _ = _outside(
                part, parent, entities.start[child] - first, entities.end[child] - first
            )
            _, gain, _ = scan_without_best(part, part.enter())
            total = _upto(gain)[part.lengths, np.arange(len(parents))]
            marginal = np.exp(path[child] + outside - total[parent])
            result[child] = marginal * result[parents][parent]
    return np.minimum(result, 1.0)


def _outside(lattice: Lattice, row: Ints, start: Ints, end: Ints) -> tuple[Doubles, Doubles]:
    """Log-sums over all paths before and after parts of rows, and over the whole rows."""
    both = lattice.both_ways()
    _, gain = scan(both, both.enter())
    sums = _upto(gain)
    length = lattice.lengths[row]
    after = sums[length - end, row + len(lattice.lengths)]
    return sums[start, row] + after, sums[length, row]


def _upto(gain: Doubles) -> Doubles:
    """The cumulative sums before each token, and the total."""
    sums = np.zeros((len(gain) + 1, gain.shape[1]))
    gain.cumsum(axis=0, out=sums[1:])
    return sums


def _path_scores(tags: Doubles, entities: Entities) -> Doubles:
    """The score of the tags of each entity: ``S``, or ``B I .. I E``."""
    row, first, last = entities.row, entities.start, entities.end - 1
    inside = _upto(tags[:, 1])
    multi = tags[first, 0, row] + tags[last, 2, row]
    multi += inside[last, row] - inside[np.minimum(first + 1, last), row]
    scores: Doubles = np.where(first == last, tags[first, 3, row], multi)
    return scores
