"""``[encoder]`` in a configuration: its kinds, its tables, its paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost.errors import ConfigError
from innermost.parts.settings import StackConfig, TransformerConfig, WordCharConfig, embedders_of
from innermost.training.config import build_config, load_config, without_paths

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_can_be_read(path: Path) -> None:
    transformer = TransformerConfig
    kinds = {"wordchar": WordCharConfig, "transformer": transformer, "small": transformer}
    kind = kinds.get(path.stem.split("-")[-1], StackConfig)
    assert isinstance(load_config(path).encoder, kind)


def test_without_a_kind_it_is_wordchar() -> None:
    assert isinstance(build_config({"encoder": {"hidden": 7}}).encoder, WordCharConfig)


def test_a_setting_within_a_table_can_be_set() -> None:
    config = load_config(
        None, ["encoder.kind=stack", "encoder.transformer.model=m", "encoder.wordchar.min_count=3"]
    ).encoder
    assert isinstance(config, StackConfig)
    assert list(embedders_of(config)) == ["wordchar", "transformer"]
    assert config.wordchar is not None
    assert config.wordchar.min_count == 3


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ({"kind": "elmo"}, "Invalid value 'elmo'"),
        ({"kind": "transformer"}, "missing required field `model`"),
        ({"kind": "stack"}, "at least one"),
        ({"kind": "stack", "transformer": {"model": "m", "pool": "x"}}, "unknown field `pool`"),
        ({"kind": "transformer", "model": "m", "layers_used": "best"}, "layers_used"),
        ({"kind": "transformer", "model": "m", "layer_decay": 0}, "> 0"),
        ({"layers": -1}, ">= 0"),
    ],
)
def test_wrong_settings_are_named(encoder: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_config({"encoder": encoder})


def test_paths_are_relative_to_the_file_and_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    file = tmp_path / "config.toml"
    file.write_text(
        '[encoder]\nkind = "stack"\n[encoder.wordchar]\nvectors = "v.npz"\n'
        '[encoder.transformer]\nmodel = "bert"\n'
    )
    config = load_config(file).encoder
    assert isinstance(config, StackConfig)
    assert config.wordchar is not None
    assert config.transformer is not None
    assert config.wordchar.vectors == str(tmp_path / "v.npz")
    assert config.transformer.model == str(tmp_path / "bert")
    kept = without_paths(config)
    assert kept["transformer"]["model"] == "bert"
    assert "vectors" not in kept["wordchar"]
    assert str(tmp_path) not in str(kept)


def test_a_name_stays_a_name(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[encoder]\nkind = "transformer"\nmodel = "some/encoder"\n')
    config = load_config(file).encoder
    assert isinstance(config, TransformerConfig)
    assert config.model == "some/encoder"
    assert without_paths(config)["model"] == "some/encoder"
