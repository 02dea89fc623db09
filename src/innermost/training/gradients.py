"""The gradients of a batch, computed in parts where memory is short."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor

from innermost.errors import InnermostWarning, ResourceError

_CPU_MESSAGE = "can't allocate memory"
"""In the error of torch's CPU allocator, which has no class of its own."""


def add_gradients(
    loss_of: Callable[[list[int]], Tensor], batch: list[int], total: int, clear: Callable[[], None]
) -> Tensor:
    """Compute the gradients of ``batch``, part of a batch of ``total`` sentences; return its loss.

    ``loss_of`` gives the loss per sentence. A batch that does not fit in memory is split into 2, 4,
    ... parts, whose gradients add up to the same, dropout aside; ``clear`` discards those of an
    attempt that failed.
    """
    parts = 1
    while True:
        try:
            losses = [_backward(loss_of, part, total) for part in _divided(batch, parts)]
            return torch.stack(losses).sum() if parts > 1 else losses[0]
        except (RuntimeError, MemoryError) as error:
            if not _is_memory_error(error):
                raise
            message = (str(error) or type(error).__name__).splitlines()[0]
        clear()
        if parts >= len(batch):
            raise ResourceError(
                f"not enough memory to train on one sentence: {message}",
                hint="divide long sentences, or lower encoder.hidden",
            )
        parts = min(2 * parts, len(batch))
        warnings.warn(
            f"not enough memory for a batch of {len(batch):,} sentences: splitting it; "
            "a lower training.batch_tokens is faster",
            InnermostWarning,
            stacklevel=2,
        )


def _backward(loss_of: Callable[[list[int]], Tensor], part: list[int], total: int) -> Tensor:
    loss = loss_of(part)
    if len(part) < total:
        loss = loss * (len(part) / total)
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.detach()


def _divided(batch: list[int], parts: int) -> list[list[int]]:
    edges = [len(batch) * number // parts for number in range(parts + 1)]
    return [batch[a:b] for a, b in pairwise(edges)]


def _is_memory_error(error: Exception) -> bool:
    known = isinstance(error, MemoryError | torch.cuda.OutOfMemoryError)
    return known or _CPU_MESSAGE in str(error)
