"""The models that a model comes from, as ``model.toml`` records them."""

from __future__ import annotations

from typing import Any

import pytest

from innermost.model_folder.info import ModelInfo
from innermost.model_folder.origins import all_origins, other_license


def names(training: dict[str, Any]) -> list[tuple[str, str]]:
    return [(kind, str(model.get("name"))) for kind, model in all_origins(training)]


def test_generations_come_one_after_the_other() -> None:
    oldest = {"name": "oldest"}
    start = {"name": "start", "start": {"name": "old", "vectors": [oldest]}}
    training = {"start": start, "teachers": [{"name": "teacher", "start": oldest}]}
    assert names(training) == [
        ("start", "start"),
        ("teachers", "teacher"),
        ("start", "old"),
        ("start", "oldest"),
        ("vectors", "oldest"),
    ]


def test_whatever_a_stranger_records_becomes_text() -> None:
    training = {"start": {"name": ["a"], "license": {"b": 1}}, "teachers": ["c", 3], "vectors": 4}
    ((kind, model),) = all_origins(training)
    assert (kind, model["name"], model["license"]) == ("start", "['a']", "{'b': 1}")


@pytest.mark.parametrize(
    ("start", "license", "warns"),
    [
        ("CC-BY-SA-4.0", "MIT", True),
        ("CC-BY-SA-4.0", "CC-BY-4.0", True),
        ("CC-BY-SA-4.0", None, True),
        ("CC-BY-SA-4.0", "CC-BY-SA-4.0", False),
        ("CC-BY-SA-4.0", "CC-BY-SA-4.0 AND MIT", False),
        ("", "MIT", False),
    ],
)
@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("start", "started from"),
        ("teachers", "learned from"),
        ("vectors", "took word vectors from"),
    ],
)
@pytest.mark.parametrize("is_indirect", [False, True])
def test_the_licenses_of_the_models_that_a_model_comes_from_are_compared(
    kind: str,
    title: str,
    is_indirect: bool,
    start: str,
    license: str | None,
    warns: bool,
) -> None:
    origin = {"name": "multilingual", "license": start}
    training: dict[str, Any] = {kind: origin if kind == "start" else [origin]}
    if is_indirect:
        training = {"start": {"name": "between", "license": "", **training}}
    info = ModelInfo(types=["A"], tokenizer="unicode", encoder={}, training=training)
    difference = other_license(info, license, "wheel")
    assert (difference is not None) == warns
    if difference is not None:
        assert difference.startswith(f"the wheel states {license or 'no license'}, but the model ")
        assert f"{title} multilingual (CC-BY-SA-4.0)" in difference
        assert difference.endswith("that license may apply to it, too")


def test_several_licenses_are_plural() -> None:
    teachers = [{"name": name, "license": name.upper()} for name in ("a", "b")]
    info = ModelInfo(types=["A"], tokenizer="unicode", encoder={}, training={"teachers": teachers})
    assert "a (A), b (B): those licenses may apply" in str(other_license(info, "MIT", "wheel"))
