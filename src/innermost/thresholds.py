"""Bounds on what is predicted, checked before anything is."""

from __future__ import annotations

from collections.abc import Mapping

from innermost.errors import UsageError


def check_thresholds(min_score: float | Mapping[str, float], **counts: int | None) -> None:
    """Refuse values that are wrong for every model: scores outside 0 to 1, counts below 1."""
    for name, value in counts.items():
        if value is not None and (value < 1 or value % 1):
            raise UsageError(f"{name} is {value}", hint="it must be an integer, 1 or more")
    for score in min_score.values() if isinstance(min_score, Mapping) else [min_score]:
        if not 0.0 <= score <= 1.0:
            raise UsageError(f"min_score is {score}", hint="it is a probability: 0 to 1")
