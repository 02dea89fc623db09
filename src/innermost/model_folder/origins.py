"""The models that a model comes from: their licenses may apply to it, too.

``[training]`` in ``model.toml`` has one or a list of them for each kind of origin, and each of them
has its own in turn, so that no license is lost over generations.
"""

from __future__ import annotations

import re
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
_LICENSE_NAME = re.compile(r"[A-Za-z0-9.+-]+")

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


def other_license(info: ModelInfo, license: str | None, holder: str) -> str | None:
    """What to check if a model that this one comes from, even indirectly, has a license other than
    that of the ``holder``: the model, or its wheel."""
    stated = _LICENSE_NAME.findall(license or "")
    others: dict[str, dict[str, None]] = {}
    licenses = set()
    for kind, origin in all_origins(info.training):
        if origin.get("license") and origin["license"] not in stated:
            licenses.add(origin["license"])
            named = f"{origin.get('name') or 'a model'} ({origin['license']})"
            others.setdefault(KINDS[kind], {})[named] = None
    if not others:
        return None
    origins = " and ".join(f"{title} {', '.join(names)}" for title, names in others.items())
    those = "that license" if len(licenses) == 1 else "those licenses"
    return (
        f"the {holder} states {license or 'no license'}, but the model {origins}: {those} may "
        "apply to it, too"
    )
