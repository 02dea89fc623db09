"""``innermost bench``."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.cli import ok


def test_what_is_measured(toy_model: Path, toy_corpus_file: Path) -> None:
    measured = ok("bench", toy_model, toy_corpus_file, "--rounds", 1, "--json").json
    assert measured["sentences"] == 48
    assert measured["entities"] == 96
    assert list(measured["batch_sizes"]) == ["1", "8", "32", "128"]
    assert list(measured["depths"]) == ["1", "2", "3", "4", "5", "unlimited"]
    assert measured["depths"]["1"]["ratio"] == 1.0
    stages = {"tokenize", "features", "encoder", "decode", "scores", "output"}
    assert set(measured["stages"]) == stages
    assert sum(measured["stages"].values()) == pytest.approx(1.0)
    assert 0 < measured["cold_start_seconds"] < 30
