"""The examples of ``docs/predict.md`` print what the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from helpers.cli import ok

PAGE = (Path(__file__).parents[2] / "docs" / "predict.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (("--model", "litbank"), "The sister of the mayor of Ghent spoke."),
        ((), "Tesla's CEO Elon Musk bought Twitter."),
    ],
)
def test_the_drawings(model: tuple[str, ...], text: str) -> None:
    command = f'    {" ".join(("innermost predict", *model))} "{text}"\n\n'
    printed = ok("predict", *model, text).out.rstrip()
    indented = "".join(f"    {line}\n" for line in printed.splitlines())
    assert command + indented in PAGE


def test_a_high_threshold_removes_inner_entities_as_described() -> None:
    text = "Tesla's CEO Elon Musk bought Twitter."

    def found(score: float) -> list[str]:
        (record,) = ok("predict", "-f", "jsonl", "--min-score", score, text).jsonl
        return [entity["text"] for entity in record["entities"]]

    assert "Elon Musk" in found(0.2)
    assert found(0.5) == ["Tesla's", "Twitter"]
    assert "Begin low" in " ".join(ok("predict", "--help").out.split())


def test_json() -> None:
    (shown,) = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert ok("predict", "-m", "litbank", "-f", "jsonl", shown["text"]).jsonl == [shown]
