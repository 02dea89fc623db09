"""``innermost models``."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from helpers.cli import innermost, ok
from innermost.model_folder import installed
from innermost.model_folder.info import read_info, write_info


def test_what_is_installed_is_listed(
    toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MODELS", tmp_path)
    assert "no model is installed" in ok("models").err
    assert "encoder.onnx" in ok("export", toy_model, tmp_path / "toy", "--json").json["files"]
    (tmp_path / "toy" / "README.md").write_text("# Toy\n\nNames in\nsmall sentences.\n\nMore.\n")
    (model,) = ok("models", "--json").json["models"]
    assert model["name"] == "toy"
    assert model["summary"] == "Names in small sentences."
    assert model["scores"]["dev"]["f1"] == 1.0
    listed = ok("models").out
    assert "toy" in listed
    assert "types: ORG, PERSON, PLACE\nscores: dev F1 100.00\n" in listed
    assert ok("predict", "-f", "jsonl", "nobody in Oslo").jsonl[0]["entities"]
    assert "languages" not in listed
    info = read_info(tmp_path / "toy")
    write_info(tmp_path / "toy", msgspec.structs.replace(info, languages=["de", "nl"]))
    assert ok("models", "--json").json["models"][0]["languages"] == ["de", "nl"]
    assert "languages: de, nl\n" in ok("models").out


def test_a_folder_without_a_file_that_predictions_need_has_a_problem(
    toy_model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(toy_model, folder)
    (folder / "weights.safetensors").unlink()
    ok("models", folder)
    (folder / "vocabulary.json").unlink()
    done = innermost("models", folder)
    assert done.code == 1
    assert "problem: " in done.out
    assert "vocabulary.json" in done.out
    assert f"\nfolder: {folder}\n" in done.out


def test_line_numbers_are_not_shown_as_emoji(tmp_path: Path) -> None:
    good = '{"tokens": ["Oslo"], "entities": [[0, 1, "A"]]}\n'
    bad = '{"tokens": ["Oslo"], "entities": [[5, 6, "A"]]}\n'
    data = tmp_path / "data.jsonl"
    data.write_text(99 * good + bad, encoding="utf-8")
    assert "data.jsonl:100: entity 0" in innermost("check", data).out
