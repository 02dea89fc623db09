"""A separate virtual environment for each tool."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from innermost.errors import InnermostError

ROOT = Path(__file__).resolve().parents[2]
_CONSTRAINTS = ROOT / "constraints.txt"
_COMPLETE = ".complete"


def python_of(environment: Path) -> Path:
    return environment / "bin" / "python"


def install(environment: Path, requirements: tuple[str, ...], *, with_torch: bool) -> None:
    """Create the environment unless it exists. torch goes first: see ``constraints.txt``."""
    marker = environment / _COMPLETE
    if marker.exists():
        return
    _run([sys.executable, "-m", "venv", "--clear", str(environment)])
    if with_torch:
        lines = _CONSTRAINTS.read_text().splitlines()
        pip(environment, *(line for line in lines if line.startswith("torch==")))
    pip(environment, *requirements)
    marker.touch()


def pip(environment: Path, *arguments: str) -> None:
    options = ["--disable-pip-version-check", "install", "--quiet", "--constraint"]
    python = str(python_of(environment))
    _run([python, "-m", "pip", *options, str(_CONSTRAINTS), *arguments])


def version(environment: Path, distribution: str) -> str:
    program = f"import importlib.metadata as m; print(m.version({distribution!r}))"
    return _run([str(python_of(environment)), "-c", program]).strip()


def megabytes(folder: Path) -> float:
    """The size of all files of an environment, including pip's."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InnermostError(f"failed: {' '.join(command)}", hint=done.stderr.strip()[-2000:])
    return done.stdout
