"""Running the automata token by token in NumPy, in any semiring, for many rows at once.

A row is one type of one sentence, or one span of it. Only the difference between the states
matters for the next step, so a row's state is one number, ``in - out`` (and ``in0 - out`` inside a
span): nothing grows with the length of the sentence. A step costs three calls of NumPy, whatever
the number of rows. ``plus`` is ``numpy.maximum`` for best paths, ``numpy.logaddexp`` for sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lattice:
    """The emissions of rows, time first: ``[token, state, row]`` with the states *in, out*.

    ``enter`` are the scores of coming from *out* (``B``; ``O (+) S``), ``stay`` of coming from *in*
    (``I``; ``E``).
    """

    enter: Floats
    stay: Floats
    lengths: Ints

    def spans(self, rows: Ints, starts: Ints, ends: Ints) -> Lattice:
        """The sub-lattices of stretches of rows, each as a row of its own."""
        lengths = ends - starts
        time = np.minimum(np.arange(lengths.max())[:, None], lengths - 1) + starts
        pick = (time[:, None, :], np.arange(2)[None, :, None], rows[None, None, :])
        return Lattice(self.enter[pick], self.stay[pick], lengths)


def scan(lattice: Lattice, plus: np.ufunc) -> tuple[Floats, Floats]:
    """Run the two-state automaton from *out*.

    Returns ``before [t, row]``, the difference *in - out* before each token, and ``gain [t, row]``,
    by how much the score of *out* grows at each token.
    """
    enter, stay = lattice.enter, lattice.stay
    time, _, rows = enter.shape
    before = np.empty((time, rows))
    both = np.empty((time, 2, rows))
    difference = np.full(rows, -np.inf)
    for t in range(time):
        before[t] = difference
        step = both[t]
        np.add(stay[t], difference, out=step)
        plus(enter[t], step, out=step)
        difference = step[0] - step[1]
    return before, both[:, 1]


def scan_without_best(lattice: Lattice, plus: np.ufunc) -> tuple[Floats, Floats, Floats]:
    """Run the three-state automaton: all paths but ``B I .. I E`` over the whole row.

    Returns ``before`` and ``gain`` as :func:`scan`, and ``whole [t, row]``, the difference
    *in0 - out* before each token.
    """
    enter, stay = lattice.enter, lattice.stay
    time, _, rows = enter.shape
    before = np.full((time, rows), -np.inf)
    whole = np.full((time, rows), -np.inf)
    gain = np.empty((time, rows))
    leave = stay[:, 1].copy()
    leave[lattice.lengths - 1, np.arange(rows)] = -np.inf
    gain[0] = enter[0, 1]
    inside = np.full(rows, -np.inf)
    inside0 = enter[0, 0] - gain[0]
    for t in range(1, time):
        before[t], whole[t] = inside, inside0
        step = stay[t] + inside
        plus(enter[t], step, out=step)
        plus(step[1], inside0 + leave[t], out=gain[t])
        inside = step[0] - gain[t]
        inside0 = inside0 + stay[t, 0] - gain[t]
    return before, gain, whole
