"""Print a constraints file with the lowest version that `pyproject.toml` allows of each package.

    python tools/lowest_versions.py [EXCEPT...] > lowest.txt
    pip install --constraint lowest.txt --editable '.[test]'

Only packages that innermost names itself are listed, for the Python that runs this script; the
packages named as arguments are left out. innermost must be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.metadata import metadata, requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version


def main(left_out: Iterable[str]) -> None:
    ours = metadata("innermost")
    extras = ["", *(ours.get_all("Provides-Extra") or ())]
    lowest = lowest_versions(requires("innermost") or (), extras)
    for name in sorted(set(lowest) - {canonicalize_name(name) for name in left_out}):
        print(f"{name}=={lowest[name]}")


def lowest_versions(requirements: Iterable[str], extras: Iterable[str]) -> dict[str, Version]:
    """The highest lower limit of each package among the requirements that apply here."""
    lowest: dict[str, Version] = {}
    for requirement in map(Requirement, requirements):
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in extras):
            continue
        name = canonicalize_name(requirement.name)
        for limit in requirement.specifier:
            if limit.operator == ">=":
                version = Version(limit.version)
                lowest[name] = max(version, lowest.get(name, version))
    return lowest


if __name__ == "__main__":
    main(sys.argv[1:])
