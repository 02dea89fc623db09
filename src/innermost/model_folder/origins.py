"""The models that a model comes from: their licenses may apply to it, too.

``[training]`` in ``model.toml`` has one or a list of them for each kind of origin, and each of them
has its own in turn, so that no license is lost over generations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from innermost.model_folder.info import ModelInfo
from innermost.model_folder.installed import model_name

KINDS = {
    "start": "started from",
    "teachers": "learned from",
    "vectors": "took word vectors from",
}
"""What a model has done with those it comes from, by their key in ``[training]``."""

_TEXT = ("name", "version", "license")

Origin = Mapping[str, Any]
"""``name``, ``version`` and ``license`` of a model, and its own origins."""


def origin(folder: Path, info: ModelInfo) -> dict[str, Any]:
    """What a model that comes from this one records about it."""
    own = {kind: info.training[kind] for kind in KINDS if kind in info.training}
    name = model_name(folder, info)
    return {"name": name, "version": info.version, "license": info.license, **own}


def direct_origins(model: Origin) -> Iterator[tuple[str, Origin]]:
    """The models that a model (its ``[training]``, or an origin) comes from, with their kinds.

    A ``model.toml`` may contain anything here, so names, versions and licenses become text.
    """
    for kind in KINDS:
        recorded = model.get(kind)
        for each in recorded if isinstance(recorded, list) else [recorded]:
            if isinstance(each, dict):
                yield kind, {**each, **{key: str(each[key]) for key in _TEXT if key in each}}


def all_origins(model: Origin) -> list[tuple[str, Origin]]:
    """Those of all generations, the direct ones first."""
    found: list[tuple[str, Origin]] = []
    generation = list(direct_origins(model))
    while generation:
        found += generation
        generation = [older for _, each in generation for older in direct_origins(each)]
    return found
