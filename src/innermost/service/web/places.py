"""Where in a body something is wrong: a byte, or a path such as ``$.texts[2]``."""

from __future__ import annotations

import json
import re
from typing import Any

_BYTE = re.compile(r"\(byte (\d+)\)")
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)


def unknown_field(message: str) -> str | None:
    """The field that a message of msgspec calls unknown."""
    match = _UNKNOWN_FIELD.fullmatch(message)
    return None if match is None else match[1]


def path_of(message: str, place: str) -> str:
    """The path of a problem; msgspec names neither the body itself nor an unknown field."""
    field = unknown_field(message)
    return (place or "$") if field is None else f"{place or '$'}.{field}"


def invalid_byte(body: bytes) -> int | None:
    """The first byte that is not UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def broken_byte(message: str, body: bytes) -> int:
    """The byte at which JSON breaks off, by a message of msgspec; without one, the end."""
    match = _BYTE.search(message)
    return len(body) if match is None else int(match[1])


def lone_surrogate(body: bytes) -> str | None:
    r"""The path of a string with an escape such as ``\ud83d`` without its other half."""
    if b"\\u" not in body:
        return None
    try:
        waiting: list[tuple[str, Any]] = [("$", json.loads(body))]
    except (ValueError, RecursionError):
        return None
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str) and _has_surrogate(value):
            return path
        if isinstance(value, list):
            waiting += [(f"{path}[{index}]", item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            if any(map(_has_surrogate, value)):
                return path
            waiting += [(f"{path}.{key}", item) for key, item in value.items()]
    return None


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)
