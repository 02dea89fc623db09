"""The container installs exactly what its lock names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from innermost import _toml

requirements = pytest.importorskip("packaging.requirements")

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "docker" / "requirements.txt"


def _locked() -> dict[str, tuple[str, list[str]]]:
    """The version and the hashes of each package."""
    text = re.sub(r"^#.*\n", "", LOCK.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    locked = {}
    for line in text.splitlines():
        name, version = re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", line).groups()
        locked[name] = version, re.findall(r"--hash=sha256:[0-9a-f]{64}", line)
    return locked


def test_every_package_has_hashes() -> None:
    assert all(hashes for _, hashes in _locked().values())


def test_the_lock_satisfies_the_project() -> None:
    project = _toml.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["serve"], *extras["subwords"]]
    locked = _locked()
    environment = {"python_version": "3.12", "sys_platform": "linux", "extra": ""}
    for text in wanted:
        requirement = requirements.Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            assert requirement.specifier.contains(locked[requirement.name][0]), text


def test_the_container_uses_it() -> None:
    commands = (ROOT / "docker" / "Dockerfile").read_text()
    assert "--require-hashes" in commands
    assert "COPY docker/requirements.txt" in commands
    assert "!docker/requirements.txt" in (ROOT / "docker" / "Dockerfile.dockerignore").read_text()
