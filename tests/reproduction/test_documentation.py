"""Figures that the documentation repeats are those of docs/results.md."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SPREAD = re.compile(r"(\d+\.\d\d) ± (\d+\.\d\d)")


@pytest.fixture(scope="module")
def deviations() -> dict[str, set[str]]:
    by_mean = defaultdict(set)
    for mean, deviation in SPREAD.findall((ROOT / "docs" / "results.md").read_text("utf-8")):
        by_mean[mean].add(deviation)
    return by_mean


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_mean_has_the_deviation_of_the_results(
    page: Path, deviations: dict[str, set[str]]
) -> None:
    for mean, deviation in SPREAD.findall(page.read_text("utf-8")):
        expected = deviations.get(mean, {deviation})
        assert deviation in expected, f"{mean} ± {deviation}; results.md: {expected}"
