"""The moving average of the weights, compared with torch's own."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from innermost.training.averaging import WeightAverage


def a_model() -> nn.Module:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model.register_buffer("vectors", torch.randn(5, 3))
    return model


def test_is_the_average_of_torch() -> None:
    model = a_model()
    ours = WeightAverage(model, 0.9, 0.3)

    def average(averaged: Any, current: Any, steps: Any) -> None:
        decay = ours.decay_after(int(steps))
        get_ema_multi_avg_fn(decay)(averaged, current, steps)  # type: ignore[no-untyped-call]

    theirs = AveragedModel(model, multi_avg_fn=average)
    for _ in range(30):
        for parameter in model.parameters():
            parameter.data += torch.randn_like(parameter)
        ours.update(model)
        theirs.update_parameters(model)
    assert ours.steps == 30
    for mine, other in zip(ours.module.parameters(), theirs.module.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_shares_the_buffers_and_not_the_weights() -> None:
    model = a_model()
    average = WeightAverage(model, 0.9, 0.1)
    assert average.module.get_buffer("vectors") is model.get_buffer("vectors")
    for mine, other in zip(average.module.parameters(), model.parameters(), strict=True):
        assert mine.data_ptr() != other.data_ptr()
        assert not mine.requires_grad


def test_continues_where_it_was() -> None:
    model = a_model()
    whole = WeightAverage(model, 0.9, 0.1)
    for _ in range(5):
        whole.update(model)
    restored = WeightAverage(a_model(), 0.9, 0.1)
    restored.restore(whole.module.state_dict(), whole.steps)
    for parameter in model.parameters():
        parameter.data += 1.0
    for average in (whole, restored):
        average.update(model)
    for mine, other in zip(whole.module.parameters(), restored.module.parameters(), strict=True):
        assert torch.equal(mine, other)
