"""Discontinuous spans: a model knows none, so they are dropped or their gaps are filled."""

from __future__ import annotations

from innermost.corpus.context import Context

SETTING = "discontinuous"
_CHOICES = ("lose", "hull")
_CASE = "discontinuous span"


def check_choice(context: Context) -> None:
    """Check the setting before anything is read."""
    context.options.choice(SETTING, _CHOICES)


def fill_gaps_or_lose(detail: str, context: Context) -> bool:
    """Fill the gaps of a span, or lose it, and report which. Returns whether the span is kept."""
    if context.options.choice(SETTING, _CHOICES) == "lose":
        context.lost(_CASE, detail)
        return False
    context.changed(_CASE, f"{detail}: its gaps filled")
    return True
