"""docs/formats.md says of every format what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.corpus import registry
from innermost.corpus.format import HOLDABLE

TEXT = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip(" `") for cell in line.split(" | ")]
    for line in TEXT.splitlines()
    if line.startswith("| `") and line.count("|") == len(HOLDABLE) + 4
]


@pytest.mark.parametrize("name", registry.names())
def test_every_format_has_a_row_and_a_section(name: str) -> None:
    (row,) = [row for row in ROWS if row[0].strip("| `") == name]
    holds = {place for place, cell in zip(HOLDABLE, row[2:], strict=False) if cell != "no"}
    # Duplicates can be merged, which is said there.
    assert holds - {"duplicates"} == set(registry.get(name).holds) - {"duplicates"}
    assert f"\n## {name}\n" in TEXT
    settings = {*registry.get(name).reading_settings, *registry.get(name).writing_settings}
    section = TEXT.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    for setting in settings - {"sentences"}:
        assert f"`{setting}" in section, setting
