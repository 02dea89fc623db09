"""CPUs for this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.cpus import available_cpus


@pytest.mark.parametrize(
    ("quota", "cpus"), [("max 100000", None), ("150000 100000", 2), ("1000 100000", 1), ("?", None)]
)
def test_a_quota_counts_as_cpus(tmp_path: Path, quota: str, cpus: int | None) -> None:
    everything = available_cpus(tmp_path / "none")
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    assert available_cpus(tmp_path / "cpu.max") == min(everything, cpus or everything)
