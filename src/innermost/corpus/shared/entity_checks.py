"""What can be wrong with an entity, in a file as in sentences that a program builds."""

from __future__ import annotations

from typing import Any

from innermost.corpus.sentence import LABEL_RULE, is_label
from innermost.nest import Span


class Wrong(Exception):  # noqa: N818
    """A malformed record; whoever reads it adds the file and line, or its number."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def check_span(span: Span, index: int, length: int, unit: str) -> None:
    """Refuse a span outside ``length`` tokens or characters, or with an invalid label."""
    start, end, label = span
    if isinstance(start, bool) or isinstance(end, bool):
        raise Wrong(f"entity {index} has a start or end that is true or false, not a number")
    if not 0 <= start < end <= length:
        if start == end:
            reason = "is empty"
        elif start > end:
            reason = "ends before it starts"
        else:
            reason = f"is outside the sentence of {length} {unit}"
        raise Wrong(
            f"entity {index} [{start}, {end}, {label!r}] {reason}",
            f"start is inclusive, end is exclusive, both count {unit} from 0",
        )
    if not is_label(label):
        raise Wrong(f"entity {index} has the label {label!r}", LABEL_RULE)


def score_of(value: Any, index: int) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Wrong(
            f"entity {index} has the score {value!r}", "a score is a probability between 0 and 1"
        )
    return float(value)
