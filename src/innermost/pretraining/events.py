"""What happens while something is pretrained, for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """The text is being turned into numbers."""

    lines: int
    units: int
    """Words, characters or sub-words so far."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Some steps are done."""

    done: float
    """The share of all steps."""
    loss: float
    """In nats, the mean over all predictions since the last report."""
    units_per_second: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The weights were measured on text that is not trained on, and saved."""

    done: float
    loss: float
    """In nats, the mean over all predictions."""


Event = Reading | Progress | HeldOut
