"""The gate on the size of an installation and on what one prediction loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("packaging")

TOOL = Path(__file__).parents[2] / "tools" / "footprint.py"


def _footprint(*limits: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), *limits]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4")
def test_what_is_over_a_limit_fails() -> None:
    done = _footprint("modules=20", "peak_memory_megabytes=1", "install_megabytes=1000")
    assert done.returncode == 1, done.stderr
    measured = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert {name for name, words in measured.items() if "EXCEEDED" in words} == {
        "modules",
        "peak_memory_megabytes",
    }
    # numpy and onnxruntime alone have more than 50 MB, and their modules are counted.
    assert 50 < float(measured["install_megabytes"][0]) < 1000
    assert float(measured["modules"][0]) > 300
    assert float(measured["code_megabytes"][0]) > 10


def test_a_misspelled_limit_is_an_error() -> None:
    done = _footprint("module=20")
    assert done.returncode == 1
    assert "unknown limit module; one of: install_megabytes" in done.stderr
