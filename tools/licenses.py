"""List the licenses of innermost and of all packages that an installation needs.

    python tools/licenses.py [EXTRA...]

Follows the requirements of the installed packages, e.g. `python tools/licenses.py serve formats`.
The exit code is 1 if a package has no known license, or is not installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

_UNKNOWN = "unknown"


def main(extras: list[str]) -> int:
    packages = dict(sorted(_needed("innermost", frozenset(extras)).items()))
    for name, package in packages.items():
        version = "not installed" if package is None else package.version
        print(f"{name:28} {version:14} {_UNKNOWN if package is None else _license(package)}")
    return any(package is None or _license(package) == _UNKNOWN for package in packages.values())


def _needed(name: str, extras: frozenset[str]) -> dict[str, Distribution | None]:
    """The package and all that it requires, by name."""
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
    return needed


def _requirements(
    package: Distribution | None, extras: frozenset[str]
) -> Iterator[tuple[str, frozenset[str]]]:
    for text in (package.requires if package else None) or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement.name, frozenset(requirement.extras)


def _license(package: Distribution) -> str:
    """The expression, else the classifiers, else the first line of the free text."""
    if expression := package.metadata.get("License-Expression"):
        return str(expression)
    classifiers = package.metadata.get_all("Classifier") or []
    named = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License ::")]
    free = (package.metadata.get("License") or "").strip().split("\n")[0][:60]
    return ", ".join(name for name in named if name != "OSI Approved") or free or _UNKNOWN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
