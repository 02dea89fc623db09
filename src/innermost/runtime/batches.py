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
    lengths: Sequence[int], budget: int, groups: Iterable[Sequence[int]] | None = None
) -> Iterator[list[int]]:
    """Indices of the sentences of each batch, longest first; those of length 0 are in none.

    ``budget`` bounds longest x sentences; a longer sentence is a batch by itself. With ``groups``,
    only their sentences, those of a group in one batch, whatever the budget.
    """

    def longest(group: Sequence[int]) -> int:
        return max(lengths[index] for index in group)

    def by_length(indices: Iterable[int]) -> list[int]:
        return sorted(indices, key=lengths.__getitem__, reverse=True)

    batch: list[int] = []
    most = 0
    alone = ([index] for index in range(len(lengths)))
    for group in sorted(alone if groups is None else groups, key=longest, reverse=True):
        if not longest(group):
            break
        if batch and most * (len(batch) + len(group)) > budget:
            yield by_length(batch)
            batch = []
        most = most if batch else longest(group)
        batch.extend(group)
    if batch:
        yield by_length(batch)
