"""Batches of sentences of about the same length, under a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

POOL = 64
"""Batches that are sorted by length together: large enough to pad little, small enough to mix."""


def batches(
    lengths: Sequence[int], budget: int, *, seed: int | None = None, epoch: int = 0
) -> list[list[int]]:
    """Indices of the sentences of each batch, longest first; every sentence in exactly one.

    ``budget`` bounds longest x sentences; a longer sentence is a batch of its own. With a ``seed``
    the order is random, the same for the same seed and epoch; without, it is by length.
    """
    everything = list(range(len(lengths)))
    if seed is None:
        return list(_cut(everything, lengths, budget))
    random = np.random.default_rng((seed, epoch))
    order = random.permutation(everything).tolist()
    size = max(POOL * budget * len(lengths) // max(sum(lengths), 1), 1)
    pools = [order[i : i + size] for i in range(0, len(order), size)]
    result = [batch for pool in pools for batch in _cut(pool, lengths, budget)]
    return [result[i] for i in random.permutation(len(result))]


def _cut(pool: list[int], lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    batch: list[int] = []
    for index in sorted(pool, key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
