"""Rows that could not be predicted, each with the reason."""

from __future__ import annotations

from typing import Any

import msgspec


class Reject(msgspec.Struct, frozen=True):
    row: int
    """The line of a text file, or the number of the row in Parquet, from 1."""
    id: Any
    reason: str


def wrong_text(value: Any) -> str:
    """Why a value is not a text."""
    if value is None:
        return "the text is null"
    kinds = {
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return f"the text is {kinds.get(type(value), type(value).__name__)}, not a string"


def too_long(limit: int) -> str:
    return f"the row is longer than {limit:,} bytes"
