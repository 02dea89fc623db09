"""The fields that both forms of the native format share, and what can be wrong with them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from innermost.nest import Span


class Wrong(Exception):  # noqa: N818
    """A record that does not say what it should; the reader adds file and line."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def name_of(record: dict[str, Any], key: str) -> str | None:
    """The value of ``id`` or ``doc``."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    raise Wrong(f'expected "{key}": a string, found {kind(value)}')


def entities_of(record: dict[str, Any]) -> list[Any]:
    given = record.get("entities", [])
    if not isinstance(given, list):
        raise Wrong(f'expected "entities": a list, found {kind(given)}')
    return given


def check_span(span: Span, index: int, length: int, unit: str) -> None:
    """Refuse a span outside ``length`` tokens or characters, or with a label that is no word."""
    start, end, label = span
    if isinstance(start, bool) or isinstance(end, bool):
        raise Wrong(f"entity {index} begins or ends at true or false, not at a number")
    if not 0 <= start < end <= length:
        reason = "is empty" if start == end else f"is outside the sentence of {length} {unit}"
        raise Wrong(
            f"entity {index} [{start}, {end}, {label!r}] {reason}",
            f"start is inclusive, end is exclusive, both count {unit} from 0",
        )
    if not _is_word(label):
        raise Wrong(
            f"entity {index} has the label {label!r}",
            "a label is a non-empty word without white space",
        )


@lru_cache(1 << 12)
def _is_word(label: str) -> bool:
    return label.split() == [label]


def kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a string", type(None): "null"}.get(
        type(value), f"{value!r}"
    )
