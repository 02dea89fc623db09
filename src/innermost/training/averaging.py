"""A moving average of the weights: smoother than the last step, and better."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn


class WeightAverage:
    """Keeps ``decay`` of the average and adds the rest from the weights, after every step."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.module = deepcopy(model).requires_grad_(False)
        self.decay = decay
        self.steps = 0

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        self.steps += 1
        # The average of few steps must not be held back by the weights it began with.
        weight = max(1.0 - self.decay, 1.0 / (self.steps + 10.0))
        averaged: list[Tensor] = list(self.module.parameters())
        current: list[Tensor] = list(model.parameters())
        torch._foreach_lerp_(averaged, current, weight)
