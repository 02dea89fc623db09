"""Decoding from the outermost entities to the innermost, level by level (Algorithm 1).

The best path over each sentence and type gives the outermost entities; the best path but
``B I .. I E`` inside each multi-token entity gives those directly inside it; and so on. All spans
of one level go through one pass. Ties go to fewer entities: ``O`` over ``S``, *out* over *in*.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from innermost.crf.lattice import Ints, Lattice, scan, scan_without_best

Bools = npt.NDArray[np.bool_]
_SMALL = 4_096
"""Tokens, padding included."""
Entity = tuple[int, int, int, int]
"""start, end, type, level"""


@dataclass(frozen=True, slots=True)
class Found:
    """Decoded entities as arrays of one length, outer levels first."""

    row: Ints
    """``sentence * types + type``"""
    start: Ints
    end: Ints
    level: Ints
    parent: Ints
    """Index of the entity one level up, or -1."""


def decode(
    emissions: npt.NDArray[np.floating],
    lengths: npt.ArrayLike,
    max_depth: int | None = None,
) -> list[list[Entity]]:
    """The entities of each sentence as ``(start, end, type, level)``, sorted by start, -end, type.

    ``emissions`` are ``[batch, type, token, 5]``. ``max_depth=1`` is the ordinary CRF.
    """
    found = find(best_lattice(emissions, lengths), max_depth)
    batch, types = emissions.shape[:2]
    sentence, kind = np.divmod(found.row, types)
    order = np.lexsort((kind, -found.end, found.start, sentence))
    columns = (found.start, found.end, kind, found.level)
    entities = list(zip(*(c[order].tolist() for c in columns), strict=True))
    bounds = np.searchsorted(sentence[order], np.arange(batch + 1)).tolist()
    return [entities[a:b] for a, b in pairwise(bounds)]


@dataclass(frozen=True, slots=True)
class BestLattice(Lattice):
    """A lattice whose *out* to *out* step is the better of ``O`` and ``S``."""

    single: Bools
    """``[token, row]``: whether ``S`` beats ``O``."""

    def spans(self, rows: Ints, starts: Ints, ends: Ints) -> BestLattice:
        part = Lattice.spans(self, rows, starts, ends)
        time = np.minimum(np.arange(part.enter.shape[0])[:, None], part.lengths - 1) + starts
        return BestLattice(part.enter, part.stay, part.lengths, self.single[time, rows])


def best_lattice(emissions: npt.NDArray[np.floating], lengths: npt.ArrayLike) -> BestLattice:
    """The lattice of best paths of ``[batch, type, token, 5]`` emissions."""
    b, i, e, s, o = by_tag(emissions)
    enter = np.stack((b, np.maximum(o, s)), axis=1)
    types = emissions.shape[1]
    return BestLattice(
        enter, np.stack((i, e), axis=1), row_lengths(lengths, types, emissions), s > o
    )


def by_tag(emissions: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """``[batch, type, token, 5] -> [5, token, batch * type]``, in float64."""
    if emissions.ndim != 4 or emissions.shape[-1] != 5:
        raise ValueError(f"emissions must be [batch, type, token, 5], got {emissions.shape}")
    batch, types, time, _ = emissions.shape
    rows = np.moveaxis(emissions, (3, 2), (0, 1)).astype(np.float64, order="C")
    return rows.reshape(5, time, batch * types)


def row_lengths(lengths: npt.ArrayLike, types: int, emissions: npt.NDArray[np.floating]) -> Ints:
    given = np.asarray(lengths, dtype=np.int64)
    if given.shape != emissions.shape[:1] or (given > emissions.shape[2]).any():
        raise ValueError(
            f"lengths {given.tolist()} do not fit emissions of shape {emissions.shape}"
        )
    return np.repeat(given, types)


def find(lattice: BestLattice, max_depth: int | None = None) -> Found:
    """All entities of a lattice, level by level."""
    rows, starts, ends = _entities(_best_states(lattice), lattice)
    levels = [(rows, starts, ends, np.full_like(rows, -1))]
    seen = 0
    while max_depth is None or len(levels) < max_depth:
        rows, starts, ends, _ = levels[-1]
        (multi,) = np.nonzero(ends - starts > 1)
        if not len(multi):
            break
        groups = by_length((ends - starts)[multi])
        inner = [_inside(lattice, seen, multi[group], rows, starts, ends) for group in groups]
        seen += len(rows)
        row, start, end, parent = (np.concatenate(column) for column in zip(*inner, strict=True))
        levels.append((row, start, end, parent))
    depth = np.repeat(np.arange(1, len(levels) + 1), [len(level[0]) for level in levels])
    row, start, end, parent = (np.concatenate(column) for column in zip(*levels, strict=True))
    return Found(row, start, end, depth, parent)


def by_length(lengths: Ints) -> list[Bools]:
    """Groups of spans whose lengths have the same number of bits, so that padding stays small.

    A few short spans are one group: another pass would cost more than their padding.
    """
    if lengths.max(initial=0) * len(lengths) <= _SMALL:
        return [np.ones(len(lengths), dtype=np.bool_)]
    bits = np.frexp(lengths)[1]
    return [bits == b for b in np.unique(bits)]


def _inside(
    lattice: BestLattice, seen: int, chosen: Ints, rows: Ints, starts: Ints, ends: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """The entities directly inside the ``chosen`` ones: their rows, starts, ends and parents."""
    part = lattice.spans(rows[chosen], starts[chosen], ends[chosen])
    span, start, end = _entities(_second_best_states(part), part)
    parent = chosen[span]
    return rows[parent], start + starts[parent], end + starts[parent], parent + seen


def _best_states(lattice: BestLattice) -> Bools:
    """Whether the best path is *in* after each token: ``[token, row]``."""
    before, _ = scan(lattice, np.maximum)
    from_in = lattice.stay + before[:, None, :] > lattice.enter
    time, _, rows = from_in.shape
    from_in &= (np.arange(time)[:, None] < lattice.lengths)[:, None, :]
    after = np.zeros((time, rows), dtype=np.bool_)
    state = np.zeros(rows, dtype=np.bool_)
    for t in range(time - 1, 0, -1):
        state = np.where(state, from_in[t, 0], from_in[t, 1])
        after[t - 1] = state
    return after


def _second_best_states(lattice: BestLattice) -> Bools:
    """The same for the best of all paths but ``B I .. I E``."""
    lead, _, whole = scan_without_best(lattice, np.maximum)
    time, rows = whole.shape
    inside = np.arange(time)[:, None] < lattice.lengths
    # From *out*: stay out, come from *in*, or from *in0*; the last only where it may end.
    out_enter, out_stay = lattice.enter[:, 1], lattice.stay[:, 1]
    from_in = (out_stay + lead > out_enter) & inside
    may_end = inside & (np.arange(time)[:, None] != lattice.lengths - 1)
    from_in0 = may_end & (out_stay + whole > np.maximum(out_enter, out_stay + lead))
    in_from_in = lattice.stay[:, 0] + lead > lattice.enter[:, 0]
    # before[state, t]: the state (0 out, 1 in, 2 in0) before token t, given the one after it
    before = np.full((3, time, rows), 2)
    before[0] = np.where(from_in0, 2, from_in)
    before[1] = in_from_in
    states = np.zeros((time, rows), dtype=np.int64)
    column = np.arange(rows)
    for t in range(time - 1, 0, -1):
        states[t - 1] = before[states[t], t, column]
    return states > 0


def _entities(after: Bools, lattice: BestLattice) -> tuple[Ints, Ints, Ints]:
    """The entities of state sequences, as rows, starts and ends."""
    before = np.zeros_like(after)
    before[1:] = after[:-1]
    begins, ends = (after & ~before).T, (before & ~after).T
    inside = np.arange(len(after))[:, None] < lattice.lengths
    singles = (~before & ~after & lattice.single & inside).T
    row, start = np.nonzero(begins)
    _, last = np.nonzero(ends)
    single_row, single = np.nonzero(singles)
    return (
        np.concatenate((row, single_row)),
        np.concatenate((start, single)),
        np.concatenate((last, single)) + 1,
    )
