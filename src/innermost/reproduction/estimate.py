"""Estimate the training time of a table."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from innermost.training.data.inputs import Data
from innermost.training.events import EpochScored
from innermost.training.loop import Progress
from innermost.training.plan import PlannedRun
from innermost.training.run import run
from innermost.training.settings.config import Config

_PREDICTION_COST = 1 / 3
"""The cost of a development token relative to a training token: no backward pass."""


@dataclass(frozen=True, slots=True)
class Estimate:
    runs: int
    finished: int
    epochs: int
    """The most epochs of each run: training stops early if the score stops improving."""
    tokens: int
    """The tokens of the training data: one epoch."""
    tokens_per_second: float | None
    """In training, measured over the first steps; None if nothing is left to train."""
    seconds: float
    """For all remaining runs, to the last epoch."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        left = self.runs - self.finished
        text = f"{self.runs} runs, {self.finished} of them finished"
        if self.tokens_per_second is None:
            return f"{text}: nothing to train"
        return (
            f"{text}; {left} x at most {self.epochs} epochs of {self.tokens:,} tokens "
            f"at {self.tokens_per_second:,.0f} tokens/s: about {_duration(self.seconds)}"
        )


def estimate(runs: Sequence[PlannedRun], config: Config, data: Data | None) -> Estimate:
    """Train a few steps of the first unfinished run, in a temporary folder.

    ``data`` may be missing if all runs are finished.
    """
    left = [item for item in runs if not item.finished]
    epochs = config.training.epochs
    if not left or data is None:
        return Estimate(len(runs), len(runs) - len(left), epochs, 0, None, 0.0)
    speed = _measured(left[0], config, data)
    dev_tokens = data.dev.tokens if data.dev else 0
    tokens = data.train.tokens + _PREDICTION_COST * dev_tokens
    seconds = len(left) * epochs * tokens / speed
    finished = len(runs) - len(left)
    return Estimate(len(runs), finished, epochs, data.train.tokens, round(speed, 1), seconds)


def _measured(item: PlannedRun, config: Config, data: Data) -> float:
    with tempfile.TemporaryDirectory() as folder:
        for event in run(item.variant.applied(config), data, item.seed, Path(folder) / "run"):
            if isinstance(event, (Progress, EpochScored)):
                return event.tokens_per_second
    raise RuntimeError("a run ended before its first epoch")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
