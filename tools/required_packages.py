"""The installed packages that innermost needs, with those that they need themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement


def required_packages(name: str, extras: frozenset[str]) -> dict[str, Distribution | None]:
    """The package and all that it requires, by name; None: not installed."""
    needed: dict[str, Distribution | None] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [(name, extras)]
    while waiting:
        name, extras = item = waiting.pop()
        if item in seen:
            continue
        seen.add(item)
        key = re.sub(r"[-_.]+", "-", name).lower()
        try:
            needed[key] = distribution(name)
        except PackageNotFoundError:
            needed[key] = None
            continue
        waiting += _requirements(needed[key], extras)
    return dict(sorted(needed.items()))


def _requirements(
    package: Distribution | None, extras: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for text in (package.requires if package else None) or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement.name, frozenset(requirement.extras)
