"""The loop shared by all pretraining: steps, reports, evaluations, checkpoints."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from torch import Tensor

from innermost.pretraining.checkpoint import Tensors, read_checkpoint, save_checkpoint
from innermost.pretraining.events import HeldOut, Progress
from innermost.pretraining.settings import Execution

_REPORT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Step:
    """The result of a training step."""

    loss: Tensor
    """Summed over all predictions."""
    predicted: int
    """The number of predictions."""
    read: int
    """The amount of text: words, characters or sub-words."""


class Task(Protocol):
    """Something to train. All randomness in a step is determined by the step's number."""

    @property
    def steps(self) -> int:
        """The total number of steps."""

    def step(self, number: int) -> Step:
        """Train on part of the text."""

    def heldout_loss(self) -> float:
        """The mean loss over all predictions in the held-out text; has no side effects."""

    def tensors(self) -> Tensors:
        """Everything that a step changes."""

    def restore(self, tensors: Tensors) -> None:
        """Restore the result of :meth:`tensors`."""


def train(
    task: Task, checkpoint: Path, execution: Execution
) -> Generator[Progress | HeldOut, None, bool]:
    """Train from the checkpoint, or the beginning; return whether the last step was reached.

    After ``stop_after`` minutes a checkpoint is saved and training stops. A run that is interrupted
    at any moment and resumed ends with the same weights as an uninterrupted one: a step depends
    only on the saved state and on its own number.
    """
    begin = 0
    stop_after = execution.stop_after
    if checkpoint.exists():
        tensors, begin = read_checkpoint(checkpoint)
        task.restore(tensors)
    if begin == task.steps:
        yield HeldOut(1.0, task.heldout_loss())
    begun = reported = saved = time.monotonic()
    recent: list[Step] = []
    for number in range(begin, task.steps):
        recent.append(task.step(number))
        now, done = time.monotonic(), (number + 1) / task.steps
        is_stopped = stop_after is not None and now - begun >= 60 * stop_after
        is_last = number + 1 == task.steps or is_stopped
        if is_last or now - reported >= _REPORT_SECONDS:
            yield _progress(done, recent, now - reported)
            recent, reported = [], now
        if is_last or now - saved >= execution.save_every:
            save_checkpoint(checkpoint, task.tensors(), number + 1)
            yield HeldOut(done, task.heldout_loss())
            reported = saved = time.monotonic()
        if is_stopped and number + 1 < task.steps:
            return False
    return True


def _progress(done: float, steps: list[Step], seconds: float) -> Progress:
    loss = sum(float(step.loss) for step in steps)
    predicted = sum(step.predicted for step in steps)
    return Progress(done, loss / max(predicted, 1), sum(step.read for step in steps) / seconds)


def rate_factor(progress: float, warmup: float = 0.02) -> float:
    """The factor of the learning rate: rises during warm-up, then falls to 0."""
    if progress < warmup:
        return progress / warmup
    return max(1.0 - progress, 0.0) / (1.0 - warmup)
