"""Parameters of ``innermost.train`` of a wrong type: refused before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from innermost.errors import UsageError

_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "out": ((str, Path), "use the path of a folder"),
    "config": ((str, Path), "use the path of a TOML file, or `settings` for a dict"),
    "settings": ((Mapping,), 'use a dict of sections, as in {"training": {"epochs": 20}}'),
    "seed": ((int,), "use a whole number"),
    "folds": ((int,), "use a whole number, as in folds=5"),
}


def check_types(**parameters: object) -> None:
    """Refuse a parameter that is given and has a wrong type."""
    for name, value in parameters.items():
        types, hint = _TYPES[name]
        if value is not None and (not isinstance(value, types) or isinstance(value, bool)):
            raise UsageError(f"`{name}` is an object of type {type(value).__name__}", hint=hint)


def check_callable(name: str, value: object) -> None:
    """Refuse a parameter that is given and cannot be called."""
    if value is not None and not callable(value):
        raise UsageError(
            f"`{name}` is an object of type {type(value).__name__}",
            hint="use a function that takes an event",
        )
