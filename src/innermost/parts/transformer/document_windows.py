"""The windows of a document: which of its sentences a transformer reads together.

With ``windows = "sentence"``, each sentence has a window of its own, with ``context`` sub-words of
the document on each side. With ``"shared"``, consecutive sentences form a run, and the run has the
window; each sentence sees the whole of it. Text is read twice only where windows overlap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from innermost.arrays import Ints

Style = Literal["sentence", "shared"]
SHORTEST = 128
"""Shared windows may have this many sub-words, ..."""
CONTEXTS = 12
"""... or this many times the context, so that at most a sixth of a full window is context. Longer
ones cost more: the time of attention grows with the length."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """A sentence as sub-words, possibly with some of its neighbors around them."""

    ids: Ints
    """``[piece]`` of the window, including the context. Sentences that share a window have the same
    array, so that ``is`` recognizes them."""
    first: int
    """The index of the first sub-word of the sentence itself."""
    counts: Ints
    """``[word]``: the number of sub-words of each word; at least one."""

    def part(self, start: int, end: int) -> Pieces:
        """Only the words from ``start`` to ``end``."""
        ends = self.first + np.concatenate(([0], np.cumsum(self.counts)))
        return Pieces(self.ids[ends[start] : ends[end]], 0, self.counts[start:end])


def document_pieces(
    document: Sequence[Sequence[Sequence[int]]], capacity: int, context: int, style: Style
) -> Iterator[Pieces]:
    """The sentences of a document, given as the sub-words of their words.

    ``context`` sub-words are read on each side, as far as they exist and fit into a window of
    ``capacity`` sub-words.
    """
    flat = [list(chain.from_iterable(words)) for words in document]
    sizes = [len(ids) for ids in flat]
    limit = min(max(SHORTEST, CONTEXTS * context), capacity)
    alone = [range(number, number + 1) for number in range(len(flat))]
    for run in shared_runs(sizes, context, limit) if style == "shared" else alone:
        own = list(chain.from_iterable(flat[run.start : run.stop]))
        left: list[int] = []
        right: list[int] = []
        if room := min(context, max(capacity - len(own), 0)):
            backwards = (flat[i][::-1] for i in range(run.start - 1, -1, -1))
            left = _first(backwards, room)[::-1]
            right = _first((flat[i] for i in range(run.stop, len(flat))), room)
            spare = capacity - len(own)
            before = min(len(left), max(spare // 2, spare - len(right)))
            left = left[len(left) - before :]
            right = right[: spare - before]
        ids = np.array([*left, *own, *right], dtype=np.int64)
        first = len(left)
        for number in run:
            counts = np.array([len(pieces) for pieces in document[number]], dtype=np.int64)
            yield Pieces(ids, first, counts)
            first += sizes[number]


def shared_runs(sizes: Sequence[int], context: int, limit: int) -> list[range]:
    """Runs of sentences of these ``sizes``, as few as possible and of similar size.

    A run of several sentences has at most ``limit`` sub-words with its context; a sentence that
    does not fit is alone.
    """
    fewest = len(_filled(sizes, context, limit))
    shortest = bisect_left(range(limit), -fewest, key=lambda n: -len(_filled(sizes, context, n)))
    return _filled(sizes, context, shortest)


def window_numbers(sentences: Iterable[Pieces]) -> list[int]:
    """The number of the window of each of these sentences, which are in order."""
    numbers: list[int] = []
    last: Ints | None = None
    for pieces in sentences:
        numbers.append(numbers[-1] + (pieces.ids is not last) if numbers else 0)
        last = pieces.ids
    return numbers


def _filled(sizes: Sequence[int], context: int, limit: int) -> list[range]:
    """Runs that are as long as ``limit`` allows, one after the other."""
    runs: list[range] = []
    start = before = own = 0
    total = sum(sizes)
    for number, size in enumerate(sizes):
        after = total - before - own - size
        if number > start and min(context, before) + own + size + min(context, after) > limit:
            runs.append(range(start, number))
            start, before, own = number, before + own, 0
        own += size
    if sizes:
        runs.append(range(start, len(sizes)))
    return runs


def _first(sentences: Iterable[list[int]], limit: int) -> list[int]:
    first: list[int] = []
    for ids in sentences:
        first += ids
        if len(first) >= limit:
            break
    return first[:limit]
