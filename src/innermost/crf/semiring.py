"""The algebras that the automata are run in: sums of paths, and best paths.

Both write "times" as ``+`` and have minus infinity for zero and 0 for one.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor

ZERO = float("-inf")


class Semiring(Protocol):
    def plus(self, a: Tensor, b: Tensor) -> Tensor: ...

    def sum(self, x: Tensor, dim: int) -> Tensor: ...


class LogSemiring:
    """Log-sum-exp and plus: the sum over all paths."""

    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        return self.sum(torch.stack((a, b)), 0)

    def sum(self, x: Tensor, dim: int) -> Tensor:
        result: Tensor = _LogSumExp.apply(x, dim)  # type: ignore[no-untyped-call]
        return result


class MaxSemiring:
    """Max and plus: the best path."""

    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.maximum(a, b)

    def sum(self, x: Tensor, dim: int) -> Tensor:
        return x.amax(dim)


class _LogSumExp(torch.autograd.Function):
    """``logsumexp`` whose gradient is 0, not NaN, where every term is minus infinity."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dim: int) -> Tensor:
        total = x.logsumexp(dim)
        ctx.dim = dim
        ctx.save_for_backward(x, total)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        x, total = ctx.saved_tensors
        share = (x - total.masked_fill(total == ZERO, 0.0).unsqueeze(ctx.dim)).exp()
        return grad.unsqueeze(ctx.dim) * share, None


def matmul(a: Tensor, b: Tensor, semiring: Semiring) -> Tensor:
    """The matrix product ``[..., i, k] x [..., k, j] -> [..., i, j]`` in the semiring."""
    return semiring.sum(a.unsqueeze(-1) + b.unsqueeze(-3), -2)


def product(steps: Tensor, semiring: Semiring) -> Tensor:
    """The product over time ``[n, t, s, s] -> [n, s, s]``, as a tree of depth log2(t)."""
    while (t := steps.shape[1]) > 1:
        pairs = matmul(steps[:, 0 : t - 1 : 2], steps[:, 1::2], semiring)
        steps = torch.cat((pairs, steps[:, t - 1 :]), 1) if t % 2 else pairs
    return steps[:, 0]
