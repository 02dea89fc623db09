"""The cards of the shipped models agree with the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from innermost.model_folder.info import FILE, read_info
from innermost.model_folder.installed import MODELS

RESULTS = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", ["english", "genia", "litbank"])
def test_means_and_deviations_are_those_of_the_results(model: str) -> None:
    card = (MODELS / model / "README.md").read_text(encoding="utf-8")
    figures = re.findall(r"[\d.]+ ± [\d.]*\d", card)
    assert figures
    assert [figure for figure in figures if figure not in RESULTS] == []


@pytest.mark.parametrize("model", sorted(path.parent.name for path in MODELS.glob(f"*/{FILE}")))
def test_every_shipped_model_states_how_it_was_exported(model: str) -> None:
    assert "int8 weights" in str(read_info(MODELS / model).export)
