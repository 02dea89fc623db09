"""The probability of decoded entities under the model.

An outermost entity's score is its marginal under the sentence's CRF. An inner one's is its marginal
among all paths but ``B I .. I E`` inside its parent, times the parent's score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from innermost.crf.decoding import Entity, Found, by_length
from innermost.crf.lattice import Floats, Ints, Lattice, lattice_of, scan, scan_without_best


def scores(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    spans: Sequence[Sequence[Entity]],
) -> list[list[float]]:
    """The probability of each span; ``spans`` are, per sentence, as :func:`decode` gives them."""
    found = _found(spans, emissions.shape[1])
    flat = iter(probabilities(emissions, lengths, found).tolist())
    return [[next(flat) for _ in sentence] for sentence in spans]


def probabilities(
    emissions: npt.NDArray[np.floating], lengths: npt.ArrayLike, found: Found
) -> Floats:
    """The probability of each entity of ``found``."""
    result = np.empty(len(found.row))
    if not len(result):
        return result
    every = lattice_of(emissions, lengths, np.logaddexp)
    path = _path_scores(every.tags, found)
    (outer,) = (found.parent < 0).nonzero()
    used, row = np.unique(found.row[outer], return_inverse=True)
    whole = Lattice(every.tags.take(used, axis=2), every.lengths[used], every.plus)
    outside, total = _outside(whole, row, found.start[outer], found.end[outer])
    result[outer] = np.exp(path[outer] + outside - total)
    for level in range(2, int(found.level.max()) + 1):
        (inner,) = (found.level == level).nonzero()
        around = found.parent[inner]
        for group in by_length(found.end[around] - found.start[around]):
            parents, parent = np.unique(around[group], return_inverse=True)
            starts, ends = found.start[parents], found.end[parents]
            part = every.spans(found.row[parents], starts, ends)
            child, first = inner[group], starts[parent]
            outside, _ = _outside(
                part, parent, found.start[child] - first, found.end[child] - first
            )
            _, gain, _ = scan_without_best(part, part.enter())
            total = _upto(gain)[part.lengths, np.arange(len(parents))]
            marginal = np.exp(path[child] + outside - total[parent])
            result[child] = marginal * result[parents][parent]
    return np.minimum(result, 1.0)


def _outside(lattice: Lattice, row: Ints, start: Ints, end: Ints) -> tuple[Floats, Floats]:
    """Log-sums over all paths before and after some stretches of rows, and over the whole rows."""
    both = lattice.both_ways()
    _, gain = scan(both, both.enter())
    sums = _upto(gain)
    length = lattice.lengths[row]
    after = sums[length - end, row + len(lattice.lengths)]
    return sums[start, row] + after, sums[length, row]


def _upto(gain: Floats) -> Floats:
    """The sums of all before each token, and of all."""
    sums = np.zeros((len(gain) + 1, gain.shape[1]))
    gain.cumsum(axis=0, out=sums[1:])
    return sums


def _path_scores(tags: Floats, found: Found) -> Floats:
    """The score of the tags of each entity: ``S``, or ``B I .. I E``."""
    row, first, last = found.row, found.start, found.end - 1
    inside = _upto(tags[:, 1])
    multi = tags[first, 0, row] + tags[last, 2, row]
    multi += inside[last, row] - inside[np.minimum(first + 1, last), row]
    scores: Floats = np.where(first == last, tags[first, 3, row], multi)
    return scores


def _found(spans: Sequence[Sequence[Entity]], types: int) -> Found:
    """Entities given as lists, with their parents worked out."""
    rows: list[tuple[int, int, int, int, int]] = []
    for sentence, entities in enumerate(spans):
        around: dict[int, list[int]] = {}
        base = len(rows)
        rows.extend((0, 0, 0, 0, 0) for _ in entities)
        order = sorted(range(len(entities)), key=lambda k: (entities[k][0], -entities[k][1]))
        for k in order:
            start, end, kind, _ = entities[k]
            stack = around.setdefault(kind, [])
            while stack and rows[stack[-1]][2] <= start:
                stack.pop()
            if stack and (rows[stack[-1]][2] < end or rows[stack[-1]][1:3] == (start, end)):
                raise ValueError(
                    f"spans {rows[stack[-1]][1:3]} and {(start, end)} of type {kind} "
                    f"in sentence {sentence} cross or coincide"
                )
            rows[base + k] = (
                sentence * types + kind,
                start,
                end,
                len(stack) + 1,
                stack[-1] if stack else -1,
            )
            stack.append(base + k)
    columns = np.array(rows, dtype=np.int64).reshape(-1, 5).T
    return Found(*columns)
