"""CONTRIBUTING.md, followed literally: a toy format, tokenizer and command; the layout."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import innermost
from helpers.cli import innermost as run
from innermost import text
from innermost.cli import app
from innermost.corpus import Options, Report, Source, read, registry, write
from innermost.text.tokenizers import WordTokenizer

ROOT = Path(__file__).parents[1]
CODE = re.compile(r" *```python\n *# (\w+)/(\w+)\.py\n(.*?) *```", re.DOTALL)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """The modules of the examples, by name."""
    blocks = CODE.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    monkeypatch.syspath_prepend(tmp_path)
    for _, name, code in blocks:
        lines = [line.removeprefix("   ") for line in code.splitlines()]
        (tmp_path / f"toy_{name}.py").write_text("\n".join(lines), encoding="utf-8")
    return {name: import_module(f"toy_{name}") for _, name, _ in blocks}


def test_a_format(
    toys: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_MODULES", {"words": "toy_words", **registry._MODULES})
    path = tmp_path / "a.words"
    path.write_text("one two\n\nthree\n")
    assert [s.tokens for s in read(path)] == [["one", "two"], ["three"]]
    assert registry.guess(Source(path)).name == "words"
    report = Report()
    gold = tmp_path / "a.jsonl"
    gold.write_text('{"tokens": ["a", "b"], "entities": [[0, 1, "X"]]}\n')
    write(read(gold), tmp_path / "b.words", options=Options(), report=report)
    assert (tmp_path / "b.words").read_text() == "a b\n"
    assert report.total("lost") == 1
    # The help is made when the command is imported, which an earlier test may have done.
    monkeypatch.delitem(sys.modules, "innermost.cli.commands.convert", raising=False)
    assert "words" in run("convert", "--help").out


def test_a_tokenizer(toys: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    letters = WordTokenizer("letters", toys["letters"].words)
    monkeypatch.setitem(text._TOKENIZERS, "letters", letters)
    assert "letters" in text.names()
    assert text.tokenizer("letters").split("a bc") == [[(0, 1), (2, 3), (3, 4)]]


def test_a_command(
    toys: dict[str, ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "innermost.cli.commands.count", toys["count"])
    monkeypatch.setattr(app, "COMMANDS", [*app.COMMANDS, "count"])
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["a"], "entities": []}\n' * 3)
    result = run("count", path)
    assert (result.code, result.out.strip()) == (0, "3"), result.err


def test_the_layout_is_that_of_the_package() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```\nsrc/innermost/\n(.*?)```", page, re.DOTALL)
    named = set(re.findall(r"^  ([\w.]+/?) ", block, re.MULTILINE))
    package = Path(innermost.__file__).parent
    folders = {f"{path.name}/" for path in package.iterdir() if path.is_dir()} - {"__pycache__/"}
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert named == folders | modules
