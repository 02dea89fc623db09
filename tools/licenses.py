"""List the licenses of innermost and of all packages that an installation needs.

    python tools/licenses.py [EXTRA...]

Follows the requirements of the installed packages, e.g. `python tools/licenses.py serve formats`.
The exit code is 1 if a package has no known license, or is not installed.
"""

from __future__ import annotations

import sys
from importlib.metadata import Distribution

from required_packages import required_packages

_UNKNOWN = "unknown"


def main(extras: list[str]) -> int:
    packages = required_packages("innermost", frozenset(extras))
    for name, package in packages.items():
        version = "not installed" if package is None else package.version
        print(f"{name:28} {version:14} {_UNKNOWN if package is None else _license(package)}")
    return any(package is None or _license(package) == _UNKNOWN for package in packages.values())


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
