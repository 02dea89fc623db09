"""A moving average of the weights, which scores better than the last step."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

FEW_STEPS = 10
"""The number of steps that the average covers at first."""


class WeightAverage:
    """Keeps ``decay`` of the average and adds the rest from the weights, after every step.

    Early on, that would be dominated by the initial weights, so the decay warms up: the average
    covers at most a share ``span`` of the steps so far.

    Buffers, such as word vectors, never change and are shared with the model. (torch's
    ``AveragedModel`` copies them at every step, and waits for the device to know the step.)
    """

    def __init__(self, model: nn.Module, decay: float, span: float) -> None:
        self.decay = decay
        self.span = span
        self.steps = 0
        shared = {id(buffer): buffer for buffer in model.buffers()}
        self.module = deepcopy(model, shared).requires_grad_(False)

    def update(self, model: nn.Module) -> None:
        averaged: list[Tensor] = list(self.module.parameters())
        current: list[Tensor] = list(model.parameters())
        weight = 1.0 if self.steps == 0 else 1.0 - self.decay_after(self.steps)
        with torch.no_grad():
            torch._foreach_lerp_(averaged, current, weight)
        self.steps += 1

    def restore(self, weights: dict[str, Tensor], steps: int) -> None:
        self.module.load_state_dict(weights)
        self.steps = steps

    def decay_after(self, steps: int) -> float:
        return min(self.decay, 1.0 - 1.0 / (self.span * steps + FEW_STEPS))
