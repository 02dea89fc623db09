"""Running the automata token by token in NumPy, in any semiring, for many rows at once.

A row is one type of one sentence, or one span of it. Only the difference between the states
matters for the next step, so a row's state is one number, ``in - out`` (and ``in0 - out`` inside a
span): nothing grows with the length of the sentence. A step is a few NumPy calls on contiguous
arrays, whatever the number of rows: for a single sentence the calls dominate the cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from innermost.arrays import Doubles, Ints

_EVERY_TAG = np.arange(5)[:, None]
_MIRRORED_TAGS = np.array([2, 1, 0, 3, 4])[:, None]
"""Read from right to left, ``B`` and ``E`` change places."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The emissions of rows, time first."""

    tags: Doubles
    """``[token, tag, row]``, the tags in the order ``B I E S O``."""
    lengths: Ints
    plus: np.ufunc
    """``numpy.maximum`` for best paths, ``numpy.logaddexp`` for sums."""

    def spans(self, rows: Ints, starts: Ints, ends: Ints) -> Lattice:
        """The sub-lattices of parts of rows, each as a row."""
        lengths = ends - starts
        time = np.minimum(np.arange(lengths.max())[:, None], lengths - 1) + starts
        return Lattice(self.tags[time[:, None], _EVERY_TAG, rows], lengths, self.plus)

    def both_ways(self) -> Lattice:
        """All rows, followed by all rows from right to left."""
        time, _, rows = self.tags.shape
        mirror = np.maximum(self.lengths - 1 - np.arange(time)[:, None], 0)
        backward = self.tags[mirror[:, None], _MIRRORED_TAGS, np.arange(rows)]
        lengths = np.concatenate((self.lengths, self.lengths))
        return Lattice(np.concatenate((self.tags, backward), axis=2), lengths, self.plus)

    def enter(self) -> Doubles:
        """The scores of transitions from *out*: to *in* (``B``), to *out* (``O (+) S``)."""
        time, _, rows = self.tags.shape
        scores = np.empty((time, 2, rows))
        scores[:, 0] = self.tags[:, 0]
        self.plus(self.tags[:, 4], self.tags[:, 3], out=scores[:, 1])
        return scores


def lattice_of(
    emissions: npt.NDArray[np.floating], lengths: npt.ArrayLike, plus: np.ufunc
) -> Lattice:
    """The lattice of ``[batch, type, token, 5]`` emissions, one row per sentence and type."""
    if emissions.ndim != 4 or emissions.shape[3] != 5:
        raise ValueError(f"emissions must be [batch, type, token, 5], got {emissions.shape}")
    batch, types, time, _ = emissions.shape
    sizes = np.asarray(lengths, dtype=np.int64)
    if sizes.shape != (batch,) or (sizes > time).any():
        raise ValueError(
            f"lengths {sizes.tolist()} do not match emissions of shape {emissions.shape}"
        )
    tags = emissions.transpose(2, 3, 0, 1).astype(np.float64, order="C")
    return Lattice(tags.reshape(time, 5, batch * types), sizes.repeat(types), plus)


def scan(lattice: Lattice, enter: Doubles) -> tuple[Doubles, Doubles]:
    """Run the two-state automaton from *out*.

    Returns ``before [t, row]``, the difference *in - out* before each token, and ``gain [t, row]``,
    by how much the score of *out* grows at each token.
    """
    tags, plus = lattice.tags, lattice.plus
    time, _, rows = tags.shape
    difference = np.empty((time + 1, rows))
    difference[0] = -np.inf
    after = np.empty((time, 2, rows))
    inside, out = after[:, 0], after[:, 1]
    columns = (tags[:, 1], tags[:, 2], enter, difference, difference[1:], after, inside, out)
    for i, e, entered, now, following, both, to_in, to_out in zip(*columns, strict=False):
        np.add(i, now, out=to_in)
        np.add(e, now, out=to_out)
        plus(entered, both, out=both)
        np.subtract(to_in, to_out, out=following)
    return difference[:-1], out


def scan_without_best(lattice: Lattice, enter: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Run the three-state automaton: all paths except ``B I .. I E`` over the whole row.

    Returns ``before`` and ``gain`` as :func:`scan`, and ``ending [t, row]``: the score of moving
    from *in0* to *out* at each token, relative to *out* before it.
    """
    stay, plus = lattice.tags[:, 1:3], lattice.plus
    time, _, rows = enter.shape
    before = np.full((time, rows), -np.inf)
    gain = np.empty((time, rows))
    may_end = np.arange(1, time + 1)[:, None] < lattice.lengths
    ending = np.where(may_end, stay[:, 1], -np.inf)
    ending[0], gain[0] = -np.inf, enter[0, 1]
    inside, inside0 = before[0], enter[0, 0] - enter[0, 1]
    for t in range(1, time):
        before[t] = inside
        ending[t] += inside0
        step = stay[t] + inside
        plus(enter[t], step, out=step)
        plus(step[1], ending[t], out=gain[t])
        inside = step[0] - gain[t]
        inside0 = inside0 + stay[t, 0] - gain[t]
    return before, gain, ending
