"""The name of a model, wherever its folder is."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.model_folder.info import FILE, ModelInfo
from innermost.model_folder.installed import MODELS, locate, model_name


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


def test_a_folder_of_data_does_not_hide_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "english").mkdir()
    monkeypatch.chdir(tmp_path)
    assert locate("english") == MODELS / "english"
    assert locate(tmp_path / "english") == tmp_path / "english"
    (tmp_path / "english" / FILE).write_text("a model")
    assert locate("english") == Path("english")
