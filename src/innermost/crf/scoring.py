"""The probability of decoded entities under the model.

An outermost entity's score is its marginal under the sentence's CRF. An inner one's is its marginal
among all paths but ``B I .. I E`` inside its parent, times the parent's score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from innermost.crf.decoding import Entity, Found, by_length, by_tag, row_lengths
from innermost.crf.lattice import Floats, Lattice, scan, scan_without_best


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
    b, i, e, s, o = by_tag(emissions)
    every = Lattice(
        np.stack((b, np.logaddexp(o, s)), axis=1),
        np.stack((i, e), axis=1),
        row_lengths(lengths, emissions.shape[1], emissions),
    )
    path = _path_scores(b, i, e, s, found)
    outer = found.parent < 0
    used, row = np.unique(found.row[outer], return_inverse=True)
    whole = every.spans(used, np.zeros_like(used), every.lengths[used])
    prefix, suffix, total = _outside(whole)
    result[outer] = np.exp(
        path[outer] + prefix[found.start[outer], row] + suffix[found.end[outer], row] - total[row]
    )
    for level in range(2, int(found.level.max(initial=1)) + 1):
        (inner,) = np.nonzero(found.level == level)
        around = found.parent[inner]
        for group in by_length(found.end[around] - found.start[around]):
            parents, parent = np.unique(around[group], return_inverse=True)
            starts, ends = found.start[parents], found.end[parents]
            part = every.spans(found.row[parents], starts, ends)
            prefix, suffix, _ = _outside(part)
            _, gain, _ = scan_without_best(part, np.logaddexp)
            total = _upto(gain)[part.lengths, np.arange(len(parents))]
            child = inner[group]
            begin, end = found.start[child] - starts[parent], found.end[child] - starts[parent]
            marginal = path[child] + prefix[begin, parent] + suffix[end, parent] - total[parent]
            result[child] = np.exp(marginal) * result[parents][parent]
    return np.minimum(result, 1.0)


def _outside(lattice: Lattice) -> tuple[Floats, Floats, Floats]:
    """Log-sums of the paths before and after each boundary, and over the whole row.

    ``prefix [t + 1, row]``: over tokens ``[0, t)``; ``suffix``: over tokens ``[t, length)``.
    """
    time, _, rows = lattice.enter.shape
    column = np.arange(rows)
    boundary = np.arange(time + 1)[:, None]
    # Read from right to left, B and E change places: one scan does both directions.
    mirror = np.maximum(lattice.lengths - 1 - np.arange(time)[:, None], 0)
    b, single = lattice.enter[:, 0], lattice.enter[:, 1]
    i, e = lattice.stay[:, 0], lattice.stay[:, 1]
    backward = [x[mirror, column] for x in (e, single, i, b)]
    both = Lattice(
        np.concatenate((lattice.enter, np.stack(backward[:2], axis=1)), axis=2),
        np.concatenate((lattice.stay, np.stack(backward[2:], axis=1)), axis=2),
        np.concatenate((lattice.lengths, lattice.lengths)),
    )
    _, gain = scan(both, np.logaddexp)
    sums = _upto(gain)
    prefix, reverse = sums[:, :rows], sums[:, rows:]
    suffix = reverse[np.maximum(lattice.lengths - boundary, 0), column]
    return prefix, suffix, prefix[lattice.lengths, column]


def _upto(gain: Floats) -> Floats:
    return np.concatenate((np.zeros((1, gain.shape[1])), np.cumsum(gain, axis=0)))


def _path_scores(b: Floats, i: Floats, e: Floats, s: Floats, found: Found) -> Floats:
    """The score of the tags of each entity: ``S``, or ``B I .. I E``."""
    row, first, last = found.row, found.start, found.end - 1
    inside = _upto(i)
    multi = (
        b[first, row] + e[last, row] + inside[last, row] - inside[np.minimum(first + 1, last), row]
    )
    return np.where(first == last, s[first, row], multi)


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
