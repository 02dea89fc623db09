"""Prediction sends no telemetry and leaves no files behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_nothing_is_written_to_the_home_folder(tmp_path: Path) -> None:
    program = 'import innermost; innermost.load("genia")("The IL-2 gene.")'
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    for name in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME", "CI"):
        environment.pop(name, None)
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert list(tmp_path.rglob("*")) == []
