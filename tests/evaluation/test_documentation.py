"""The example of ``docs/evaluation.md`` runs as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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
