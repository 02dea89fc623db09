"""Decoding from the outermost entities to the innermost, level by level (Algorithm 1).

The best path over each sentence and type gives the outermost entities; the best path other than
``B I .. I E`` inside each multi-token entity gives those directly inside it; and so on. All spans
of one level go through one pass. Ties go to fewer entities: ``O`` over ``S``, *out* over *in*.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from innermost.arrays import Bools, Ints
from innermost.crf.entities import Entities, Entity
from innermost.crf.lattice import Lattice, lattice_of, scan, scan_without_best

_ONE_GROUP = 4_096
"""Tokens, padding included: up to this many, spans of all lengths go through one pass."""


def decode(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    max_depth: int | None = None,
) -> list[list[Entity]]:
    """The entities of each sentence as ``(start, end, type, level)``, sorted by start, -end, type.

    ``emissions`` are ``[batch, type, token, 5]``. ``max_depth=1`` is the ordinary CRF.
    """
    return find(emissions, lengths, max_depth).tolists()


def find(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    max_depth: int | None = None,
) -> Entities:
    """The same entities as arrays, outer levels first."""
    lattice = lattice_of(emissions, lengths, np.maximum)
    row, start, end = _entities(lattice, _best_states)
    levels = [(row, start, end, np.full_like(row, -1))]
    seen = 0
    while max_depth is None or len(levels) < max_depth:
        rows, starts, ends, _ = levels[-1]
        sizes = ends - starts
        (multi,) = (sizes > 1).nonzero()
        if not len(multi):
            break
        groups = [multi[group] for group in by_length(sizes[multi])]
        inner = [_inside(lattice, seen, group, rows, starts, ends) for group in groups]
        seen += len(rows)
        levels.append(_joined(inner))
    depth = np.arange(1, len(levels) + 1).repeat([len(level[0]) for level in levels])
    row, start, end, parent = _joined(levels)
    batch, types = emissions.shape[:2]
    return Entities(batch, types, row, start, end, depth, parent)


def _joined(parts: list[tuple[Ints, Ints, Ints, Ints]]) -> tuple[Ints, Ints, Ints, Ints]:
    if len(parts) == 1:
        return parts[0]
    row, start, end, parent = (np.concatenate(column) for column in zip(*parts, strict=True))
    return row, start, end, parent


def by_length(lengths: Ints) -> list[Bools]:
    """Groups of spans whose lengths have the same number of bits, so that padding stays small.

    A few short spans are one group: another pass would cost more than their padding.
    """
    if lengths.max(initial=0) * len(lengths) <= _ONE_GROUP:
        return [np.ones(len(lengths), dtype=np.bool_)]
    bits = np.frexp(lengths)[1]
    return [bits == b for b in np.unique(bits)]


def _inside(
    lattice: Lattice, seen: int, parents: Ints, rows: Ints, starts: Ints, ends: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """The entities directly inside the ``parents``: their rows, starts, ends and parents."""
    part = lattice.spans(rows[parents], starts[parents], ends[parents])
    span, start, end = _entities(part, _second_best_states)
    parent = parents[span]
    return rows[parent], start + starts[parent], end + starts[parent], parent + seen


def _best_states(lattice: Lattice, inside: Bools) -> Bools:
    """Whether the best path is *in* at each boundary between tokens: ``[token + 1, row]``."""
    enter = lattice.enter()
    before, _ = scan(lattice, enter)
    in_from_in = before + lattice.tags[:, 1] > enter[:, 0]
    out_from_in = before + lattice.tags[:, 2] > enter[:, 1]
    return _traced(in_from_in & inside, out_from_in & inside)


def _second_best_states(lattice: Lattice, inside: Bools) -> Bools:
    """The same for the best path other than ``B I .. I E``."""
    enter = lattice.enter()
    before, _, out_by_in0 = scan_without_best(lattice, enter)
    out_by_in = before + lattice.tags[:, 2]
    states = _traced(
        (before + lattice.tags[:, 1] > enter[:, 0]) & inside, (out_by_in > enter[:, 1]) & inside
    )
    # Traced from the end, a path that has reached in0 stays there back to the first token.
    entered = (out_by_in0 > np.maximum(out_by_in, enter[:, 1])) > states[1:]
    states[1:-1] |= np.logical_or.accumulate(entered[:0:-1])[::-1]
    return states


def _traced(in_from_in: Bools, out_from_in: Bools) -> Bools:
    """The states of the paths that end in *out*, given which states come from *in*.

    One integer holds the states of all rows, one bit each: a step is a few operations on it.
    """
    time, rows = in_from_in.shape
    if not out_from_in.any():  # as in most entities: nothing to trace
        return np.zeros((time + 1, rows), dtype=np.bool_)
    width = -(-rows // 8)
    if_in = np.packbits(in_from_in, axis=1).tobytes()
    if_out = np.packbits(out_from_in, axis=1).tobytes()
    state = 0
    states = [bytes(width)] * (time + 1)
    for t in range(time - 1, -1, -1):
        a, b = t * width, (t + 1) * width
        from_in, from_out = int.from_bytes(if_in[a:b], "big"), int.from_bytes(if_out[a:b], "big")
        state = state & from_in | ~state & from_out
        states[t] = state.to_bytes(width, "big")
    packed = np.frombuffer(b"".join(states), dtype=np.uint8).reshape(time + 1, width)
    return np.unpackbits(packed, axis=1, count=rows).view(np.bool_)


def _entities(
    lattice: Lattice, states_of: Callable[[Lattice, Bools], Bools]
) -> tuple[Ints, Ints, Ints]:
    """The entities of the paths with these states, as rows, starts and ends."""
    inside = np.arange(len(lattice.tags))[:, None] < lattice.lengths
    states = states_of(lattice, inside)
    before, after = states[:-1], states[1:]
    single = (lattice.tags[:, 3] > lattice.tags[:, 4]) & inside & ~(before | after)
    row, start = ((after > before) | single).T.nonzero()
    _, last = ((before > after) | single).T.nonzero()
    return row, start, last + 1
