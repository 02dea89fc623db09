"""A moving average of the weights, which scores better than the last step."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

FEW_STEPS = 10
"""The number of steps that the average covers at first."""


class WeightAverage:
    """Keeps ``decay`` of the average and adds the rest from the weights, after every step.

    Early on, that would be dominated by the initial weights, so the decay warms up: the average
    covers at most a share ``span`` of the steps so far.
    """

    def __init__(self, model: nn.Module, decay: float, span: float) -> None:
        self.decay = decay
        self.span = span
        self.averaged = AveragedModel(model, multi_avg_fn=self._average)
        self.averaged.requires_grad_(False)

    @property
    def module(self) -> nn.Module:
        return self.averaged.module

    @property
    def steps(self) -> int:
        return int(self.averaged.n_averaged)

    def update(self, model: nn.Module) -> None:
        self.averaged.update_parameters(model)

    def restore(self, weights: dict[str, Tensor], steps: int) -> None:
        self.averaged.module.load_state_dict(weights)
        self.averaged.n_averaged.fill_(steps)

    def decay_after(self, steps: int) -> float:
        return min(self.decay, 1.0 - 1.0 / (self.span * steps + FEW_STEPS))

    def _average(self, averaged: Any, current: Any, steps: Any) -> None:
        decay = self.decay_after(int(steps))
        get_ema_multi_avg_fn(decay)(averaged, current, steps)  # type: ignore[no-untyped-call]
