"""Events of pretraining, for display."""

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
    """The mean loss since the last report, in nats per prediction."""
    units_per_second: float


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The weights were evaluated on held-out text, and saved."""

    done: float
    loss: float
    """The mean loss in nats per prediction."""


Event = Reading | Progress | HeldOut
