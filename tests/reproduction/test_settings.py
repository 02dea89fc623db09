"""The configuration recorded in a folder of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.errors import UsageError
from innermost.reproduction.settings import FILE, record
from innermost.training.settings.config import load_config

RECIPES = Path(__file__).parents[2] / "recipes"


def test_a_stack_with_language_models_is_written_and_recognized(tmp_path: Path) -> None:
    (tmp_path / "forward").mkdir()
    models = f'encoder.flair.models=["{tmp_path}/forward", "backward"]'
    config = load_config(RECIPES / "genia-stack.toml", [models])
    record(config, tmp_path / "out")
    flair = load_config(tmp_path / "out" / FILE).encoder.parts["flair"]
    assert flair.models[0] == str(tmp_path / "forward")
    record(config, tmp_path / "out")
    other = load_config(RECIPES / "genia-stack.toml", ['encoder.flair.models=["other"]'])
    with pytest.raises(UsageError, match=r"encoder\.flair\.models was"):
        record(other, tmp_path / "out")


@pytest.mark.parametrize("recipe", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_can_be_written_down(recipe: Path, tmp_path: Path) -> None:
    config = load_config(recipe)
    record(config, tmp_path)
    assert load_config(tmp_path / FILE).training == config.training
