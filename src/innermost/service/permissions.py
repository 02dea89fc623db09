"""Who may use the service: API keys and origins, checked before it starts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from innermost.errors import UsageError

KEYS = "INNERMOST_API_KEYS"
"""The environment variable with the API keys."""
_KEY = re.compile(r"[ -~]+")
_ORIGIN = re.compile(r"\*|[a-z][a-z0-9+.-]*://[^/?#\sA-Z]+")


def api_keys(value: str | None) -> tuple[str, ...]:
    """The keys in the environment variable. A value without a key is a mistake, not consent."""
    if value is None:
        return ()
    keys = tuple(key for part in value.split(",") if (key := part.strip()))
    if not keys:
        raise UsageError(
            f"{KEYS} is set, but has no key",
            hint="separate keys with commas, or unset the variable to serve everyone",
        )
    for number, key in enumerate(keys, start=1):
        if not _KEY.fullmatch(key):
            raise UsageError(
                f"key {number} in {KEYS} has characters other than printable ASCII",
                hint="clients encode them in different ways: use letters, digits and punctuation",
            )
    return keys


def origins(values: Sequence[str]) -> tuple[str, ...]:
    """Origins as browsers send them."""
    for value in values:
        if not _ORIGIN.fullmatch(value):
            raise UsageError(
                f"--cors-origin {value} is not an origin",
                hint="it is a scheme, a host and perhaps a port, in lower case and without a path: "
                "https://example.com or http://localhost:3000",
            )
    return tuple(values)
