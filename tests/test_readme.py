"""README.md shows what the shipped models answer."""

from __future__ import annotations

import re
from pathlib import Path

from helpers.cli import innermost_process

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_first_drawing() -> None:
    (text,) = set(re.findall(r'innermost predict "(.*?)"', README)) - {"..."}
    printed = innermost_process("predict", text, env={"COLUMNS": "100"}).out
    assert f"```\n{printed.strip()}\n```" in README
