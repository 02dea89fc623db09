"""Max and plus: the product over time is the score of the best path, without the path."""

from __future__ import annotations

import torch
from torch import Tensor


class MaxSemiring:
    def plus(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.maximum(a, b)

    def product(self, steps: Tensor) -> Tensor:
        """``[n, t, s, s] -> [n, s, s]``, one step after the other."""
        result = steps[:, 0]
        for t in range(1, steps.shape[1]):
            result = (result.unsqueeze(-1) + steps[:, t].unsqueeze(-3)).amax(-2)
        return result
