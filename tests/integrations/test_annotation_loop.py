"""Text, pre-annotation, a tool's file, and back: nothing is lost on the way."""

from __future__ import annotations

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helpers.cli import ok
from innermost import corpus
from innermost.nest import Span
from innermost.runtime.model import Model

RECIPE = Path(__file__).parent.parent.parent / "examples" / "prodigy_recipe.py"
TEXT = "The wife of the mayor of Ghent left the old inn."
ENTITIES = [
    {"start": 0, "end": 30, "label": "PER", "score": 0.9},
    {"start": 12, "end": 30, "label": "PER", "score": 0.8},
    {"start": 25, "end": 30, "label": "GPE", "score": 0.7},
    {"start": 25, "end": 30, "label": "LOC", "score": 0.2},
    {"start": 36, "end": 47, "label": "FAC", "score": 0.6},
]
"""Nested, three levels deep, and one span with two labels."""
TOOLS = {
    "labelstudio": ("tasks.json", {"scores", "id"}),
    "prodigy": ("tasks.jsonl", {"scores", "id"}),
    "brat": ("folder", {"scores"}),
    "webanno": ("documents", {"id"}),
}
"""The file or folder of each, and what it keeps besides entities and the names of documents."""


@pytest.mark.parametrize("tool", TOOLS)
def test_predictions_survive_the_way_through_a_tool(tool: str, tmp_path: Path) -> None:
    name, kept = TOOLS[tool]
    predictions, back = tmp_path / "predictions.jsonl", tmp_path / "back.jsonl"
    record: dict[str, Any] = {"doc": "letter", "text": TEXT, "entities": ENTITIES}
    if "id" in kept:
        record["id"] = "a7"
    predictions.write_text(json.dumps(record) + "\n")
    ok("convert", predictions, tmp_path / name, "--to", tool)
    ok("convert", tmp_path / name, back, "--from", tool)
    (before,), (after,) = (list(corpus.read(str(path))) for path in (predictions, back))
    assert len(before.entities) == len(ENTITIES)
    assert sorted(after.entities) == sorted(before.entities)
    assert after.tokens == before.tokens
    if "scores" in kept:
        assert after.scores == before.scores
    assert after.doc == before.doc == "letter"
    assert after.id == before.id


def _lines(path: str) -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The recipe, with as much of Prodigy as it imports."""
    prodigy, components, loaders = map(
        ModuleType, ("prodigy", "prodigy.components", "prodigy.components.loaders")
    )
    prodigy.recipe = lambda name, **arguments: lambda function: function  # type: ignore[attr-defined]
    loaders.JSONL = _lines  # type: ignore[attr-defined]
    for module in (prodigy, components, loaders):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    spec = spec_from_file_location("prodigy_recipe", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tasks_of_the_recipe_are_what_prodigy_exports(
    recipe: Any, random_model: Model, tmp_path: Path
) -> None:
    source = tmp_path / "texts.jsonl"
    texts = ["the river bank of the north sea", "alpha gene (of NF-kB)"]
    source.write_text("".join(json.dumps({"text": t, "meta": {"n": 1}}) + "\n" for t in texts))
    session = recipe.correct("names", str(random_model.folder), str(source))
    assert session["view_id"] == "spans_manual"
    assert session["config"]["labels"] == random_model.types
    exported = tmp_path / "export.prodigy.jsonl"
    tasks = [{**task, "answer": "accept"} for task in session["stream"]]
    assert [task["meta"] for task in tasks] == [{"n": 1}] * 2
    exported.write_text("".join(json.dumps(task) + "\n" for task in tasks))
    for sentence, text in zip(corpus.read(str(exported)), texts, strict=True):
        document = random_model(text)
        expected = {Span(e.token_start, e.token_end, e.label) for e in document.entities}
        assert expected
        assert set(sentence.entities) == expected
        assert sentence.text == text
