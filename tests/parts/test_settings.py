"""``[encoder]`` in a configuration and in a model: both forms, the tables of parts, their paths."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from innermost.errors import ConfigError
from innermost.parts.registry import PARTS, settings_type
from innermost.parts.settings import BiLSTMSettings, read_encoder
from innermost.training.settings.config import build_config, load_config

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
WORDS = {"wordchar": {"min_count": 3, "word_dimension": 7}}
BERT = {"transformer": {"model": "some/encoder", "layers_used": [0, -1]}}


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_can_be_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tables = [part for part in PARTS if f"[encoder.{part}]" in text]
    single = [part for part in PARTS if f'kind = "{part}"' in text]
    assert list(load_config(path).encoder.parts) == (tables or single)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_recipes_name_encoders_that_can_be_downloaded(path: Path) -> None:
    transformer = load_config(path).encoder.parts.get("transformer")
    assert transformer is None or "/" in transformer.model  # OWNER/NAME
    assert "vectors" not in path.read_text() or "docs/encoders.md" in path.read_text()


def test_without_a_kind_and_without_tables_it_is_wordchar() -> None:
    config = build_config({"encoder": {"hidden": 7, "word_dimension": 9}}).encoder
    assert (config.hidden, list(config.parts)) == (7, ["wordchar"])
    assert config.parts["wordchar"].word_dimension == 9
    assert build_config({}).encoder == read_encoder({})


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"kind": "wordchar", **WORDS["wordchar"]}, WORDS),
        ({"kind": "transformer", **BERT["transformer"]}, BERT),
        ({"kind": "stack", **BERT, **WORDS}, {**WORDS, **BERT}),
        ({"kind": "wordchar", "word_dimension": 7, "wordchar": {"min_count": 3}}, WORDS),
    ],
)
def test_both_forms_are_the_same(short: dict[str, object], long: dict[str, object]) -> None:
    assert read_encoder({"hidden": 5, **short}) == read_encoder({**long, "hidden": 5})


def test_what_is_written_is_what_earlier_versions_read() -> None:
    """One part next to the BiLSTM with its name as the kind, several as a stack."""
    single = read_encoder({**WORDS, "hidden": 5}).without_paths()
    assert single == {
        "kind": "wordchar",
        "scale_vectors": False,
        "word_dimension": 7,
        "min_count": 3,
        "character_dimension": 128,
        "character_filters": 256,
        "word_dropout": 0.05,
        "hidden": 5,
        "layers": 2,
        "dropout": 0.2,
        "recurrent_dropout": 0.2,
    }
    stack = read_encoder(BERT | WORDS).without_paths()
    assert (stack["kind"], stack["hidden"]) == ("stack", 256)
    assert list(stack["transformer"]["layers_used"]) == [0, -1]


@pytest.mark.parametrize("tables", [WORDS, BERT, BERT | WORDS])
def test_what_is_written_is_read_again(tables: dict[str, object]) -> None:
    config = read_encoder({**tables, "dropout": 0.4})
    assert read_encoder(config.to_dict()) == config
    assert read_encoder(config.without_paths()) == config


def test_the_order_is_that_of_the_registry() -> None:
    assert list(read_encoder(BERT | WORDS).parts) == ["wordchar", "transformer"]


@pytest.mark.parametrize("part", PARTS)
def test_no_setting_of_a_part_has_the_name_of_another(part: str) -> None:
    """The short form could not distinguish them."""
    names = {"kind", *BiLSTMSettings.__struct_fields__, *PARTS}
    assert names.isdisjoint(settings_type(part).__struct_fields__)


def test_a_setting_within_a_table_can_be_set() -> None:
    config = load_config(
        None, ["encoder.kind=stack", "encoder.transformer.model=m", "encoder.wordchar.min_count=3"]
    ).encoder
    assert list(config.parts) == ["wordchar", "transformer"]
    assert config.parts["wordchar"].min_count == 3


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ({"kind": "elmo"}, r"(?s)'elmo'.*wordchar, transformer, flair, stack"),
        ({"kind": ["wordchar"]}, "kind"),
        ({"kind": "transformer"}, "`encoder` needs `model`"),
        ({"kind": "stack"}, "at least one"),
        (
            {"kind": "stack", "transformer": {"model": "m", "pool": "x"}},
            r"\[encoder.transformer\] has no setting `pool`",
        ),
        (
            {"kind": "stack", "wordchar": {}, "vectors": "v"},
            r"\[encoder\] has no setting `vectors`",
        ),
        ({"wordchar": {"min_count": 0}}, r"`encoder.wordchar.min_count`.*>= 1"),
        ({"wordchar": 3}, "`encoder.wordchar`: expected a table"),
        ({"kind": "wordchar", "wordchar": 3}, "no setting `wordchar`"),
        ({"kind": "transformer", "model": "m", "wordchar": {}}, "no setting `wordchar`"),
        ({"kind": "transformer", "model": "m", "layers_used": "best"}, "layers_used"),
        ({"kind": "transformer", "model": "m", "layer_decay": 0}, "> 0"),
        ({"layers": -1}, "`encoder.layers`: .* >= 0"),
        ({"parts": {}}, "no setting `parts`"),
    ],
)
def test_wrong_settings_are_named(encoder: dict[str, object], message: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_encoder(encoder)
    with pytest.raises(ConfigError, match=message):
        build_config({"encoder": encoder})


def test_paths_are_relative_to_the_file_and_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "bert").mkdir()
    file = tmp_path / "config.toml"
    file.write_text(
        '[encoder]\nkind = "stack"\n[encoder.wordchar]\nvectors = "v.npz"\n'
        '[encoder.transformer]\nmodel = "bert"\n[encoder.flair]\nmodels = ["a/one", "two"]\n'
    )
    config = load_config(file).encoder
    assert config.parts["wordchar"].vectors == str(tmp_path / "v.npz")
    assert config.parts["transformer"].model == str(tmp_path / "bert")
    assert config.parts["flair"].models == (str(tmp_path / "a/one"), str(tmp_path / "two"))
    kept = config.without_paths()
    assert kept["transformer"]["model"] == "bert"
    assert kept["flair"]["models"] == ["one", "two"]
    assert "vectors" not in kept["wordchar"]
    assert str(tmp_path) not in str(kept)


def test_paths_are_resolved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub/config.toml").write_text('[encoder]\nvectors = "v.npz"\n')
    assert load_config(Path("sub/config.toml")).encoder.parts["wordchar"].vectors == "sub/v.npz"


def test_a_name_stays_a_name(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[encoder]\nkind = "transformer"\nmodel = "some/encoder"\n')
    config = load_config(file).encoder
    assert config.parts["transformer"].model == "some/encoder"
    assert config.without_paths()["model"] == "some/encoder"


def test_settings_of_parts_that_are_paths_exist() -> None:
    for part in PARTS:
        settings = settings_type(part)
        assert settings.paths.keys() <= {field.name for field in msgspec.structs.fields(settings)}
