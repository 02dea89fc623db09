"""Every setting is in docs/training.md, with its default; the Python of docs/own-data.md runs."""

import re
from functools import partial
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

import innermost
from innermost import corpus
from innermost.nest import Span
from innermost.parts.settings import BiLSTMSettings
from innermost.parts.wordchar.settings import Settings
from innermost.training.settings.config import (
    DataConfig,
    ModelConfig,
    ObjectiveConfig,
    StartConfig,
    TrainingConfig,
)

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "training.md").read_text(encoding="utf-8")


SECTIONS = [
    DataConfig,
    StartConfig,
    ModelConfig,
    BiLSTMSettings,
    Settings,
    ObjectiveConfig,
    TrainingConfig,
]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_setting_is_documented(section):
    for field in msgspec.structs.fields(section):
        rows = [
            line for line in TEXT.splitlines() if line.startswith("|") and f"`{field.name}`" in line
        ]
        assert rows, f"{field.name} is not in docs/training.md"
        if isinstance(field.default, (int, float)) and not isinstance(field.default, bool):
            shown = f"{field.default:g}"
            assert any(shown in row.split("|")[2] for row in rows), f"{field.name}: {rows}"


def test_records_and_tables_of_entities_become_a_file(tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "own-data.md").read_text(encoding="utf-8")
    _, _, section = page.partition("### Character offsets and other libraries")
    records, table = (dedent(c) for c in re.findall(r"```python\n(.*?)```", section, re.DOTALL))
    exec(records, {})
    first, second = corpus.read("train.jsonl")
    assert (first.entities, second.entities) == ([Span(2, 3, "PLACE")], [])
    entities = [("Bob left Oslo", 0, 3, "PER"), ("Bob left Oslo", 9, 13, "PLACE")]
    rows = [*entities, ("In Lyon", 3, 7, "PLACE")]
    exec(table, {"frame": pandas.DataFrame(rows, columns=["text", "start", "end", "label"])})
    assert [len(sentence.entities) for sentence in corpus.read("train.jsonl")] == [2, 1]


def test_the_first_example_from_python_finds_the_entity_inside_another(capsys, monkeypatch):
    pytest.importorskip("torch")
    one_thread = partial(innermost.train, settings={"training": {"threads": 1}})
    monkeypatch.setattr(innermost, "train", one_thread, raising=False)
    _, _, section = (DOCS / "own-data.md").read_text(encoding="utf-8").partition("## From Python")
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    shown = re.search(r"```python\n.*?```\n.*?\n\n((?:    [^\n]*\n)+)", section, re.DOTALL)[1]
    exec(code, {})
    f1, *entities = capsys.readouterr().out.splitlines()
    assert 0 < float(f1) <= 1
    assert entities == [line.strip() for line in shown.splitlines()]
    assert len(entities) == 2
