"""Split streams into windows, and windows into batches of sentences of similar length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def windows(
    items: Iterable[T], size: Callable[[T], int], budget: int, most: int
) -> Iterator[list[T]]:
    """Runs of items whose sizes add up to about ``budget``, at most ``most`` items each."""
    window: list[T] = []
    total = 0
    for item in items:
        window.append(item)
        total += size(item)
        if total >= budget or len(window) >= most:
            yield window
            window = []
            total = 0
    if window:
        yield window


def batches(
    lengths: Sequence[int], budget: int, among: Iterable[int] | None = None
) -> Iterator[list[int]]:
    """Indices of the sentences of each batch, longest first; those of length 0 are in none.

    ``budget`` bounds longest x sentences; a longer sentence is a batch by itself. With ``among``,
    only those sentences.
    """
    batch: list[int] = []
    indices = range(len(lengths)) if among is None else among
    for index in sorted(indices, key=lengths.__getitem__, reverse=True):
        if not lengths[index]:
            break
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
