"""The examples of ``docs/predict.md`` print what the page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

from helpers.cli import ok

PAGE = (Path(__file__).parents[2] / "docs" / "predict.md").read_text(encoding="utf-8")


def test_the_drawing() -> None:
    text = "The sister of the mayor of Ghent spoke."
    command = f'    innermost predict --model litbank "{text}"\n\n'
    printed = ok("predict", "--model", "litbank", text).out.rstrip()
    indented = "".join(f"    {line}\n" for line in printed.splitlines())
    assert command + indented in PAGE


def test_json() -> None:
    (shown,) = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))
    assert ok("predict", "-m", "litbank", "-f", "jsonl", shown["text"]).jsonl == [shown]
