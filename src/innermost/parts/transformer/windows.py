"""From sub-words to windows that a transformer can read, and back to one vector per word.

A sentence that is longer than a window is read in several overlapping ones; each sub-word takes its
vector from the window in which it is farthest from an edge. Nothing is truncated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from innermost.arrays import Floats, Ints
from innermost.parts.transformer.document_windows import Pieces
from innermost.parts.transformer.subwords import Subwords

Run = Callable[[Ints, Ints], Floats]
"""Runs a transformer: ``ids, mask [window, position] -> vectors [window, position, ...]``."""

MAX_GROUP = 8_192
"""The most sub-words, padding included, that are run together."""
SMALL_GROUP = 512
"""Up to this many are run together with any padding, ..."""
MAX_PADDING = 1.1
"""... more only if padding grows them by at most this factor."""


@dataclass(frozen=True, slots=True)
class Windows:
    """All windows of some sentences."""

    ids: list[Ints]
    """The sub-words of each window, with special tokens around them."""
    window: Ints
    """``[piece]``: the window of each sub-word of the sentences, without context."""
    position: Ints
    """``[piece]``: the position of the sub-word in its window."""
    counts: Ints
    """``[word]``: the number of sub-words of each word."""


def cut(length: int, capacity: int) -> list[int]:
    """Where the windows begin; each contains ``capacity`` sub-words, or all there are.

    A quarter of a window overlaps with the next, so that every sub-word has an eighth of a window
    of text on both sides, if the sentence is that long.
    """
    if length <= capacity:
        return [0]
    step = max(capacity - capacity // 4, 1)
    return [*range(0, length - capacity, step), length - capacity]


def homes(length: int, capacity: int) -> tuple[list[int], Ints]:
    """Where the windows begin, and the window that each sub-word takes its vector from."""
    starts = cut(length, capacity)
    # The middle of the overlap of two windows is equally far from both edges.
    middles = [(b + min(a + capacity, length)) / 2 for a, b in pairwise(starts)]
    return starts, np.searchsorted(middles, np.arange(length) + 0.5, side="left")


def lay_out(sentences: Sequence[Pieces], subwords: Subwords) -> Windows:
    """The windows of sentences; one that several of them share occurs once."""
    places: dict[int, tuple[Ints, Ints]] = {}
    ids: list[Ints] = []
    window: list[Ints] = []
    position: list[Ints] = []
    for pieces in sentences:
        if id(pieces.ids) not in places:
            starts, home = homes(len(pieces.ids), subwords.capacity)
            inside = np.arange(len(pieces.ids)) - np.array(starts)[home]
            places[id(pieces.ids)] = home + len(ids), inside + len(subwords.before)
            for start in starts:
                part = pieces.ids[start : start + subwords.capacity]
                ids.append(np.concatenate((subwords.before, part, subwords.after)).astype(np.int64))
        own = slice(pieces.first, pieces.first + int(pieces.counts.sum()))
        windows, positions = places[id(pieces.ids)]
        window.append(windows[own])
        position.append(positions[own])
    return Windows(
        ids,
        np.concatenate(window),
        np.concatenate(position),
        np.concatenate([pieces.counts for pieces in sentences]),
    )


def fill_up(ids: Sequence[Ints], pad: int) -> tuple[Ints, Ints]:
    """Ids and mask ``[window, position]``, both padded to the longest window."""
    lengths = np.array([len(window) for window in ids])
    inside = np.arange(lengths.max()) < lengths[:, None]
    filled = np.full(inside.shape, pad, dtype=np.int64)
    filled[inside] = np.concatenate(ids)
    return filled, inside.astype(np.int64)


def embed(
    sentences: Sequence[Pieces],
    subwords: Subwords,
    run: Run,
    pooling: str,
    max_group: int = MAX_GROUP,
) -> list[Floats]:
    """``[word, ...]`` for each sentence, with windows run in groups of similar length."""
    windows = lay_out(sentences, subwords)
    vectors: Floats | None = None
    order = np.argsort(windows.window, kind="stable")
    bounds = np.searchsorted(windows.window[order], np.arange(len(windows.ids) + 1))
    for group in _groups([len(window) for window in windows.ids], max_group):
        states = run(*fill_up([windows.ids[number] for number in group], subwords.pad))
        if vectors is None:
            vectors = np.empty((len(windows.window), *states.shape[2:]), dtype=np.float32)
        for row, number in enumerate(group):
            pieces = order[bounds[number] : bounds[number + 1]]
            vectors[pieces] = states[row, windows.position[pieces]]
    if vectors is None:
        return []
    words = pool(vectors, windows.counts, pooling)
    return np.split(words, np.cumsum([len(pieces.counts) for pieces in sentences])[:-1])


def pool(vectors: Floats, counts: Ints, pooling: str) -> Floats:
    """From sub-words to words: the first of each, or the mean."""
    starts = np.cumsum(counts) - counts
    if pooling == "first":
        first: Floats = vectors[starts]
        return first
    summed: Floats = np.add.reduceat(vectors, starts, axis=0)
    summed /= counts.reshape(-1, *[1] * (vectors.ndim - 1))
    return summed


def _groups(lengths: Sequence[int], max_group: int) -> Iterator[list[int]]:
    """Windows to run together: the longest first, with little padding."""
    group: list[int] = []
    inside = 0
    for number in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        size = lengths[group[0]] * (len(group) + 1) if group else 0
        if size > max_group or size > max(SMALL_GROUP, MAX_PADDING * (inside + lengths[number])):
            yield group
            group, inside = [], 0
        group.append(number)
        inside += lengths[number]
    if group:
        yield group
