from pathlib import Path

import pytest

from innermost.errors import ConfigError
from innermost.training.settings.config import Config, build_config, load_config, merged
from innermost.training.settings.text import config_text


def test_the_defaults_are_the_papers():
    config = Config()
    assert (config.encoder.hidden, config.encoder.layers) == (256, 2)
    assert list(config.encoder.parts) == ["wordchar"]
    words = config.encoder.parts["wordchar"]
    assert (words.character_dimension, words.character_filters) == (128, 256)
    assert (words.word_dropout, config.encoder.dropout) == (0.05, 0.2)
    assert (config.training.optimizer, config.training.clip) == ("adabound", 5.0)


def test_file_then_overrides_and_paths_relative_to_the_file(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('[data]\ntrain = "t.jsonl"\n[training]\nepochs = 7\nseeds = [3, 4]\n')
    config = load_config(path, ["training.epochs=9", "data.dev=some/dev.jsonl", "encoder.hidden=8"])
    assert config.data.train == str(tmp_path / "t.jsonl")
    assert config.data.dev == "some/dev.jsonl"
    assert (config.training.epochs, config.encoder.hidden) == (9, 8)
    assert tuple(config.training.seeds) == (3, 4)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("training.epoch=3", "epoch"),
        ("training.epochs=0", "epochs"),
        ("training.epochs=many", "epochs"),
        ("training.seeds=[-1]", "seeds"),
        ("training.threads=-3", "threads"),
        ("objective.max_depth=0", "max_depth"),
        ("encoder.dropout=1.5", "dropout"),
        ("training.optimizer=sgd", "optimizer"),
        ("nonsense=1", "section.key=value"),
        ("model.hidden=3", "model"),
    ],
)
def test_a_wrong_setting_is_named(override, message):
    with pytest.raises(ConfigError, match=message):
        load_config(None, [override])


@pytest.mark.parametrize(
    ("override", "hint"),
    [
        ("training.epoch=3", "did you mean `epochs`?"),
        ("encoder.droput=0.5", "did you mean `dropout`?"),
        ("encoder.wordchar.min_counts=1", "did you mean `min_count`?"),
        ("training.optimizer=sgd", "one of: adabound, adamw"),
        ("encoder.kind=bert", "one of: wordchar, transformer, flair, stack"),
        ("trainig.epochs=3", "did you mean `training`?"),
        ("preset.x=3", "`preset` cannot be"),
        (
            "encoder.kind=transformer",
            "`encoder` needs `model`\n  give it with --set encoder.model=VALUE",
        ),
        ("encoder.transformer.fine_tune=true", "give it with --set encoder.transformer.model="),
        ("data.train=[{}]", "`data.train` needs `path`\n  innermost train --show-config"),
    ],
)
def test_a_wrong_setting_comes_with_what_can_be_set(override, hint):
    with pytest.raises(ConfigError) as error:
        load_config(None, [override])
    assert hint in str(error.value)


def test_settings_are_merged_table_by_table():
    base = {"training": {"epochs": 3, "clip": 1.0}, "preset": "auto"}
    more = {"training": {"epochs": 5}, "encoder": {"hidden": 8}}
    assert merged(base, more) == {
        "training": {"epochs": 5, "clip": 1.0},
        "preset": "auto",
        "encoder": {"hidden": 8},
    }
    assert base["training"]["epochs"] == 3


def test_the_text_of_a_configuration_is_that_configuration(tmp_path):
    config = load_config(
        None, ["training.epochs=7", "data.dev=0.1", "encoder.kind=flair", "encoder.models=['/m']"]
    )
    file = tmp_path / "config.toml"
    file.write_text(config_text(config))
    assert load_config(file) == config


def test_a_file_that_is_not_toml(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[training\n")
    with pytest.raises(ConfigError, match=r"bad\.toml: not valid TOML"):
        load_config(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "absent.toml")


@pytest.mark.parametrize("text", ["1.0", "2", "1.0.3", "2026-11-16", '"1.0"'])
def test_a_version_is_text_as_it_is_written(text):
    assert load_config(None, [f"model.version={text}"]).model.version == text.strip('"')


@pytest.mark.parametrize(
    ("section", "name", "value", "message"),
    [
        ("training", "epochs", "ten", 'expected a whole number, got "ten"'),
        ("training", "epochs", -1, "expected a whole number >= 1, got -1"),
        ("training", "seeds", 1, "expected a list, got 1"),
        ("start", "freeze", "yes", 'expected true or false, got "yes"'),
        ("data", "dev", 1.5, "expected a number < 1.0, got 1.5"),
        ("model", "layers", [3], "expected a text, got a whole number"),
    ],
)
def test_a_value_of_the_wrong_type_is_explained_in_words(section, name, value, message):
    with pytest.raises(ConfigError) as error:
        build_config({section: {name: value}})
    assert error.value.message == f"`{section}.{name}`: {message}"


def test_a_number_where_text_is_expected_is_to_be_quoted(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("[model]\nversion = 1.0\n")
    with pytest.raises(ConfigError, match=r'(?s)`model\.version`.*write it in quotes: "1\.0"'):
        load_config(path)


@pytest.mark.parametrize("value", ['"../runs/mine"', '["../runs/mine"]'])
def test_teachers_are_one_model_or_several_relative_to_the_file(tmp_path, value):
    (tmp_path / "runs" / "mine").mkdir(parents=True)
    (tmp_path / "recipes").mkdir()
    file = tmp_path / "recipes" / "config.toml"
    file.write_text(f"[teachers]\nmodels = {value}\n")
    (name,) = load_config(file).teachers.names
    assert Path(name).resolve() == (tmp_path / "runs" / "mine").resolve()


def test_a_model_keeps_the_name_that_it_was_given():
    assert Config().named("mine").model.name == "mine"
    assert load_config(None, ["model.name=ours"]).named("mine").model.name == "ours"


def test_a_list_of_languages_is_a_list_and_a_version_a_text():
    config = load_config(None, ['model.languages=["de", "nl"]', "model.version=1.0"])
    assert (config.model.languages, config.model.version) == (["de", "nl"], "1.0")
