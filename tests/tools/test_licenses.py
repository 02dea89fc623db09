"""The licenses of what is installed with innermost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("packaging")

TOOL = Path(__file__).parents[2] / "tools" / "licenses.py"
PERMISSIVE = ("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "Zlib", "0BSD")


@pytest.mark.parametrize("extras", [(), ("serve", "formats")])
def test_everything_that_predicts_has_a_permissive_license(extras: tuple[str, ...]) -> None:
    if extras:
        pytest.importorskip("starlette", reason="needs the extra serve")
    done = subprocess.run(
        [sys.executable, TOOL, *extras], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert {"innermost", "numpy", "onnxruntime"} <= {line.split()[0] for line in lines}
    assert ("starlette" in done.stdout) == ("serve" in extras)
    for line in lines:
        assert any(name in line[44:] for name in PERMISSIVE), line
