"""The examples of ``docs/integrations.md`` run as they are."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "integrations.md"


def _section(title: str) -> str:
    page = PAGE.read_text(encoding="utf-8")
    (section,) = re.findall(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE
    )
    return str(section)


@pytest.mark.parametrize(
    ("title", "needs"),
    [("spaCy", "spacy"), ("pandas, polars, notebooks", "pandas")],
)
def test_examples_print_what_the_page_shows(
    title: str, needs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(needs)
    if needs == "spacy":
        import innermost.integrations.spacy  # noqa: F401  as an installation would find it
    section = _section(title)
    code = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    shown = re.search(r"```python\n.*?```\n\n((?:    [^\n]*\n)+)", section, re.DOTALL)
    exec("\n".join(code), {})
    printed = capsys.readouterr().out
    assert shown is not None
    for line in shown[1].splitlines():
        assert line.removeprefix("    ").rstrip() in printed


def test_entities_for_the_hub_are_as_shown() -> None:
    pytest.importorskip("huggingface_hub")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (block for block in blocks if "\n# {'entity_group'" in block)
    *code, call, comment = block.splitlines()
    names: dict[str, object] = {}
    exec("\n".join(code), names)
    entity, shown = eval(call, names), ast.literal_eval(comment.removeprefix("# "))
    assert entity | {"score": round(entity["score"], 3)} == shown
