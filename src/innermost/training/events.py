"""What a training run reports while it is running."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from innermost.training.loop import Progress

DOUBTFUL = 0.5
"""A teacher below this F1 on the annotation of the training data."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Frozen encoders and teachers read the data before training; cached data is not reported."""

    path: str
    done: int
    words: int
    reader: str = "the frozen encoder"


@dataclass(frozen=True, slots=True)
class TeacherRead:
    """A teacher has read the training data."""

    name: str
    f1: float
    """Of its entities, compared with the annotation of the data."""
    trust: float
    """The share of the teachers' probabilities in the targets."""

    @property
    def doubt(self) -> str | None:
        """Why this teacher may do harm, if it may."""
        if self.f1 >= DOUBTFUL:
            return None
        return (
            f"the teacher {self.name} contradicts the annotation (F1 {100 * self.f1:.0f}), and "
            f"{self.trust:.0%} of what is learned comes from the teachers: leave it out, or set a "
            "smaller teachers.trust"
        )


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything is built and prepared; training starts now."""

    trained_weights: int
    batch_tokens: int
    peak_memory: int | None
    """The peak GPU memory of a step, in bytes; unknown on a CPU."""
    note: str | None = None
    """On the number of threads, if other programs are busy."""
    finished_epochs: int = 0
    """Those of an interrupted run that is resumed."""


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


Event = Reading | TeacherRead | Ready | Progress | EpochScored | Finished
