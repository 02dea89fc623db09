"""Figures that the documentation repeats are those of two pages; docs/results.md has its TOML."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from innermost import _toml
from innermost.reproduction.page import Page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SPREAD = re.compile(r"(\d+\.\d\d) ± (\d+\.\d\d)")


@pytest.fixture(scope="module")
def deviations() -> dict[str, set[str]]:
    by_mean = defaultdict(set)
    for page in ("results.md", "model-history.md"):
        for mean, deviation in SPREAD.findall((ROOT / "docs" / page).read_text("utf-8")):
            by_mean[mean].add(deviation)
    return by_mean


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_mean_has_the_deviation_of_the_results(
    page: Path, deviations: dict[str, set[str]]
) -> None:
    for mean, deviation in SPREAD.findall(page.read_text("utf-8")):
        expected = deviations.get(mean, {deviation})
        assert deviation in expected, f"{mean} ± {deviation}; results.md: {expected}"


def test_the_page_has_the_text_of_its_description() -> None:
    """All but the tables, which need the folders of runs."""
    description = (ROOT / "benchmarks" / "results.toml").read_text("utf-8")
    page = msgspec.convert(_toml.loads(description), Page)
    rest = (ROOT / "docs" / "results.md").read_text("utf-8")
    parts = [f"# {page.title}", page.text.strip()]
    for section in page.section:
        parts += [f"## {section.title}", section.text.strip()]
        parts += [f"**Table {name.removeprefix('table')}: " for name in section.tables]
        parts += [f"- {p.system}: **{p.f1}**. {p.comparable}" for p in section.published]
    for part in parts:
        assert part in rest, part  # in this order
        rest = rest.partition(part)[2]
    assert not [line for line in rest.splitlines() if line.startswith("#")]
