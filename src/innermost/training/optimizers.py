"""Optimizers and the learning rate over time."""

from __future__ import annotations

import torch

from innermost.errors import MissingExtraError
from innermost.network.tagger import Tagger
from innermost.training.settings.config import TrainingConfig

_FUSED = ("cpu", "cuda")
"""Devices on which torch updates all weights in one kernel."""


def build_optimizer(
    model: Tagger, config: TrainingConfig, encoder_rate: float = 1.0
) -> torch.optim.Optimizer:
    groups = model.parameter_groups(config.learning_rate, encoder_rate)
    if config.optimizer == "adamw":
        return torch.optim.AdamW(
            groups,
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=model.emit.weight.device.type in _FUSED,
        )
    try:
        from pytorch_optimizer import AdaBound
    except ImportError as error:
        raise MissingExtraError("AdaBound", "train", error.name) from None
    optimizer: torch.optim.Optimizer = AdaBound(
        groups,
        lr=config.learning_rate,
        final_lr=config.final_learning_rate,
        weight_decay=config.weight_decay,
    )
    return optimizer


def rate_factor(progress: float, config: TrainingConfig) -> float:
    """The factor of the learning rate when ``progress`` (0 to 1) of the epochs is done."""
    if progress < config.warmup:
        return progress / config.warmup
    if config.schedule == "linear":
        return max((1.0 - progress) / (1.0 - config.warmup), 0.0) if config.warmup < 1 else 1.0
    return 1.0
