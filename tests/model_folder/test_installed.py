"""The name of a model, wherever its folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.model_folder.info import ModelInfo
from innermost.model_folder.installed import model_name


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("runs/mine", "mine"),
        ("runs/mine/model", "mine"),
        ("hub/models--org--my-model/snapshots/0123456789abcdef", "my-model"),
        ("hub/models--my-model/snapshots/0123456789abcdef", "my-model"),
        ("mine/snapshots/monday", "monday"),
    ],
)
def test_the_name_of_a_model(tmp_path: Path, folder: str, name: str) -> None:
    unnamed = ModelInfo(types=["X"], tokenizer="unicode", encoder={})
    assert model_name(tmp_path / folder, unnamed) == name
    named = ModelInfo(name="own", types=["X"], tokenizer="unicode", encoder={})
    assert model_name(tmp_path / folder, named) == "own"
