"""Integrations cost nothing until they are used."""

from __future__ import annotations

import subprocess
import sys

PACKAGES = ("spacy", "sklearn", "pandas", "polars", "huggingface_hub", "datasets", "pyspark")


def test_predicting_imports_no_integration() -> None:
    script = f"""
import sys
import innermost
innermost.load("english")("The mayor of Ghent spoke.")
print([m for m in sys.modules if m.startswith("innermost.integrations") or m in {PACKAGES!r}])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
