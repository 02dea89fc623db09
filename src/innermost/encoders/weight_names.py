"""The names of a model's weights. Those of the first models had no prefix for their embedder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")
_FIRST = ("trained", "characters.embedding", "characters.kernel", "characters.bias")


def with_current_names(weights: Mapping[str, T]) -> dict[str, T]:
    return {
        f"wordchar.{name}" if name in _FIRST else name: weight for name, weight in weights.items()
    }
