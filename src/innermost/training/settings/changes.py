"""The differences between two sets of settings, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The settings of ``now`` that differ from those ``before``, e.g. of a finished run, in words.

    Sections that are not in ``before`` are not compared.
    """
    # Both are compared in the form of JSON, which has no tuples.
    now = msgspec.json.decode(msgspec.json.encode(now))
    old = dict(_flat({name: before[name] for name in now if name in before}))
    new = dict(_flat({name: now[name] for name in now if name in before}))
    different = [k for k in sorted({*old, *new}) if old.get(k) != new.get(k)]
    if different == ["start.model"]:  # the same model under another name
        return []
    return [f"{key} was {_shown(old.get(key))}, is {_shown(new.get(key))}" for key in different]


def _flat(tables: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """``{"a": {"b": 1}}`` as ``a.b`` and 1."""
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)
