"""The examples of ``docs/evaluation.md`` run as they are, and print what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.cli import innermost_process

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
GOLD = """\
{"tokens": ["The", "sister", "of", "the", "mayor", "of", "Ghent", "spoke", "."], "entities": \
[[0, 7, "PER"], [3, 7, "PER"], [6, 7, "GPE"]]}
"""


def test_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.jsonl").write_text(GOLD)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == "1.0 1.0 1.0\n"


def test_the_entities_of_two_systems_side_by_side() -> None:
    text = "The mayor of Ghent spoke about the IL-2 gene."
    assert f'innermost diff genia litbank "{text}"' in PAGE
    printed = innermost_process("diff", "genia", "litbank", text, env={"COLUMNS": "120"}).out
    shown = (f"    {line}".rstrip() for line in printed.rstrip().splitlines())
    assert "\n".join(shown) in PAGE
