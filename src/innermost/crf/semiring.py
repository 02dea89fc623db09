"""The algebra in which the automata run for training: sums over paths.

"Times" is written ``+``; zero is minus infinity and one is 0. With the maximum as "plus", the same
automata give best paths (the tests do that); decoding, which also needs the path itself and works
without torch, runs them token by token in NumPy instead (:mod:`innermost.crf.lattice`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Protocol

import torch
from torch import Tensor

ZERO = float("-inf")
Plus = Callable[[Tensor, Tensor], Tensor]


class Semiring(Protocol):
    def plus(self, a: Tensor, b: Tensor) -> Tensor: ...

    def product(self, steps: Tensor) -> Tensor:
        """The product over time of matrices: ``[n, t, s, s] -> [n, s, s]``."""
        ...


class LogSemiring:
    """Log-sum-exp and plus: the sum over all paths."""

    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.logaddexp(a, b)

    def product(self, steps: Tensor) -> Tensor:
        result: Tensor = _LogProduct.apply(steps)  # type: ignore[no-untyped-call]
        return result


def _matmul(a: Tensor, b: Tensor, plus: Plus) -> Tensor:
    """The matrix product ``[..., i, k] x [..., k, j] -> [..., i, j]``."""
    terms = (a[..., :, k, None] + b[..., k, None, :] for k in range(a.shape[-1]))
    return reduce(plus, terms)


def _tree(steps: Tensor, plus: Plus) -> list[Tensor]:
    """The levels of a tree of pairwise products of depth log2(t); the last has one matrix."""
    levels = [steps]
    while (t := levels[-1].shape[1]) > 1:
        below = levels[-1]
        pairs = _matmul(below[:, 0 : t - 1 : 2], below[:, 1::2], plus)
        levels.append(torch.cat((pairs, below[:, t - 1 :]), 1) if t % 2 else pairs)
    return levels


class _LogProduct(torch.autograd.Function):
    """The product of a tree with a handwritten gradient, level by level.

    Automatic differentiation of the same tree takes several times as many kernels, and gives NaN
    where all terms of a sum are minus infinity; here such a sum passes on no gradient.
    """

    @staticmethod
    def forward(ctx: Any, steps: Tensor) -> Tensor:
        levels = _tree(steps, torch.logaddexp)
        ctx.save_for_backward(*levels)
        return levels[-1][:, 0]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        levels: tuple[Tensor, ...] = ctx.saved_tensors
        grad = grad.unsqueeze(1)
        for below, above in zip(levels[-2::-1], levels[:0:-1], strict=True):
            t = below.shape[1]
            pairs = t // 2
            total = above[:, :pairs]
            total = total.masked_fill(total == ZERO, 0.0)[..., :, None, :]
            terms = below[:, 0 : t - 1 : 2].unsqueeze(-1) + below[:, 1::2].unsqueeze(-3)
            # [n, pair, i, k, j]: how much of entry (i, j) went through state k
            share = (terms - total).exp_() * grad[:, :pairs, :, None, :]
            both = torch.stack((share.sum(-1), share.sum(-3)), 2).flatten(1, 2)
            grad = torch.cat((both, grad[:, pairs:]), 1) if t % 2 else both
        return grad
