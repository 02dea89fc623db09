"""Discontinuous spans: a model knows none, so they are dropped or their gaps are filled."""

from __future__ import annotations

from innermost.corpus.context import Context

SETTING = "discontinuous"
_CHOICES = ("lose", "hull")
_CASE = "discontinuous span"


def check_choice(context: Context) -> None:
    """Check the setting before anything is read."""
    context.options.choice(SETTING, _CHOICES)


def are_gaps_filled(detail: str, context: Context) -> bool:
    """Whether the gaps of a span are filled; if not, the span is lost. Both are reported."""
    if context.options.choice(SETTING, _CHOICES) == "lose":
        context.lost(_CASE, detail)
        return False
    context.changed(_CASE, f"{detail}: its gaps filled")
    return True
