"""The models that a model comes from, as ``model.toml`` records them."""

from __future__ import annotations

from typing import Any

from innermost.model_folder.origins import all_origins


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
