"""Batches of sentences of similar length, in random order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from innermost.runtime.batches import batches

POOL = 64
"""Batches that are sorted by length together: large enough to pad little, small enough to mix."""


def shuffled_batches(
    lengths: Sequence[int],
    budget: int,
    groups: Sequence[Sequence[int]] | None = None,
    *,
    seed: int,
    epoch: int,
) -> list[list[int]]:
    """Indices of the sentences of each batch, longest first; every sentence in exactly one.

    ``budget`` bounds longest x sentences; a longer sentence is a batch by itself. The order is the
    same for the same seed and epoch. With ``groups``, the sentences of each are in one batch,
    whatever the budget.
    """
    if groups is None:
        groups = [[index] for index in range(len(lengths))]
    random = np.random.default_rng((seed, epoch))
    order = [groups[i] for i in random.permutation(list(range(len(groups))))]
    size = max(POOL * budget * len(groups) // max(sum(lengths), 1), 1)
    pools = [order[i : i + size] for i in range(0, len(order), size)]
    result = [batch for pool in pools for batch in batches(lengths, budget, pool)]
    return [result[i] for i in random.permutation(len(result))]
