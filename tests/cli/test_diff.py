"""``innermost diff`` and the report of ``innermost compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.cli import innermost, ok

SENTENCE = "the rector of Oslo spoke on Monday ."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The first sentence as the toy model sees it, the second otherwise."""
    path = tmp_path / "gold.jsonl"
    tokens = SENTENCE.split()
    right = {"tokens": tokens, "entities": [[0, 4, "PERSON"], [3, 4, "PLACE"]]}
    wrong = {"tokens": tokens, "entities": [[1, 4, "PERSON"], [3, 4, "PERSON"]], "doc": "two"}
    path.write_text(f"{json.dumps(right)}\n{json.dumps(wrong)}\n")
    return path


def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "empty.jsonl"
    line = json.dumps({"tokens": SENTENCE.split(), "entities": []})
    path.write_text(f"{line}\n{line}\n")
    return path


def test_a_model_and_gold(toy_model: Path, data: Path) -> None:
    out = ok("diff", toy_model, "gold", data).out
    assert "2, two" in out
    assert "\n1\n" not in f"\n{out}"
    assert "(other boundaries)" in out
    assert "(PERSON there)" in out
    name = toy_model.parent.name
    assert out.endswith(
        f"1 of 2 texts with differences. Entities: 2 in both, 2 only in {name}, 2 only in gold.\n"
    )


def test_all_and_limit(toy_model: Path, data: Path) -> None:
    shown = ok("diff", toy_model, "gold", data, "--all", "--limit", 1)
    assert shown.out.startswith("1\n")
    assert "1 more are not shown" in shown.err


def test_two_systems_on_annotated_data(toy_model: Path, data: Path, tmp_path: Path) -> None:
    lines = ok("diff", toy_model, predictions(tmp_path), data, "-f", "jsonl").jsonl
    assert [[e["note"] for e in line["only"]] for line in lines] == [
        ["only here, right", "only here, right"],
        ["only here, wrong", "only here, wrong"],
    ]
    assert lines[0]["text"] == SENTENCE
    assert lines[0]["only"][0]["in"] == toy_model.parent.name


def test_texts_and_files_of_text(toy_model: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(f"{SENTENCE}\n\nnobody in Oslo\n")
    out = ok("diff", toy_model, toy_model, file, "it rained", "--all", "-f", "jsonl").jsonl
    assert [line["text"] for line in out] == [SENTENCE, "nobody in Oslo", "it rained"]
    assert not any(line["only"] for line in out)


def test_html(toy_model: Path, data: Path, tmp_path: Path) -> None:
    page = tmp_path / "diff.html"
    ok("diff", toy_model, "gold", data, "--format", "html", "--output", page)
    source = page.read_text(encoding="utf-8")
    assert source.count("<article") == 1
    assert 'data-note="PERSON there"' in source


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gold", "a text"), "gold cannot be compared on plain text"),
        (("gold", "missing.jsonl"), "no such file: missing.jsonl"),
        (("missing-model", "a text"), "missing-model"),
    ],
)
def test_wrong_use(toy_model: Path, arguments: tuple[str, ...], message: str) -> None:
    result = innermost("diff", toy_model, *arguments)
    assert result.code in (1, 2)
    assert message in result.err


def test_the_report_of_compare(toy_model: Path, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    done = ok("compare", toy_model, predictions(tmp_path), data, "--report", folder)
    assert "report.html" in done.err
    source = (folder / "report.html").read_text(encoding="utf-8")
    assert source.count("<article") == 2
    assert "They differ on 2 sentences:" in source
    assert "two-sided permutation test" in source
    assert 'data-note="only here, right"' in source
    assert json.loads((folder / "report.json").read_text())["data"] == "gold.jsonl"
