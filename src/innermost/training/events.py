"""What a training run reports while it is running."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from innermost.training.loop import Progress


@dataclass(frozen=True, slots=True)
class Reading:
    """Frozen encoders and teachers read the data before training; cached data is not reported."""

    path: str
    done: int
    words: int
    reader: str = "the frozen encoder"


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything is built and prepared; training starts now."""

    trained_weights: int
    batch_tokens: int
    peak_memory: int | None
    """The peak GPU memory of a step, in bytes; unknown on a CPU."""
    note: str | None = None
    """On the number of threads, if other programs are busy."""


@dataclass(frozen=True, slots=True)
class EpochScored:
    """An epoch is done and evaluated."""

    epoch: int
    epochs: int
    loss: float
    dev_f1: float | None
    """None without development data."""
    best_f1: float
    best_epoch: int
    tokens_per_second: float


@dataclass(frozen=True, slots=True)
class Finished:
    result: dict[str, Any]


Event = Reading | Ready | Progress | EpochScored | Finished
