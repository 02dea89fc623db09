"""The benchmarks are not part of the package: they are imported from the repository root."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "benchmarks" / "peers" / "workers"):
    sys.path.append(str(folder))
