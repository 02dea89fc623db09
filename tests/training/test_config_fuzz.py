"""Damaged configurations: refused with a message that names the file, or complete.

`INNERMOST_FUZZ=100000 pytest tests/training -k fuzz` tries that many.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost import _toml
from innermost.errors import InnermostError
from innermost.training.settings.config import load_config
from innermost.training.settings.text import config_text
from model_folder.mutations import mutated

RECIPES = sorted((Path(__file__).parents[2] / "recipes").glob("*.toml"))
VALUES = (
    *("nan", "inf", "-1", "0", "1e400", "9" * 400, "true", '""', '"\\u0000"', "[]", "{}", "[[]]"),
    *("1979-05-27", "{a = {b = {c = 1}}}", "[" * 500 + "]" * 500, '"../../etc/passwd"', "'%s'"),
)


def settings_of(recipe: bytes) -> list[str]:
    """``section.key`` of everything in the recipe."""
    found = []
    for section, content in _toml.loads(recipe.decode()).items():
        keys = content if isinstance(content, dict) else [""]
        found += [f"{section}.{key}".rstrip(".") for key in keys]
    return found


SOURCES = [path.read_bytes() for path in RECIPES]
PATHS = ("vectors", "model")
"""Relative to the file with the setting, so they change when it is written elsewhere."""
NAMES = sorted({n for source in SOURCES for n in settings_of(source) if not n.endswith(PATHS)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("config")


@given(mutated(SOURCES))
def test_a_damaged_recipe_is_refused_or_complete(folder: Path, content: bytes) -> None:
    path = folder / "recipe.toml"
    path.write_bytes(content)
    message = ""
    try:
        config = load_config(path)
    except InnermostError as error:
        message = str(error)
    assert str(path) in message or load_again(config_text(config), folder) == config


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)), max_size=3))
def test_strange_values_are_refused_or_complete(
    folder: Path, changes: list[tuple[str, str]]
) -> None:
    try:
        config = load_config(None, [f"{name}={value}" for name, value in changes])
    except InnermostError:
        return
    assert load_again(config_text(config), folder) == config


def load_again(text: str, folder: Path) -> object:
    path = folder / "again.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)
