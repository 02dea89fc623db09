"""``innermost export``."""

from __future__ import annotations

from pathlib import Path

from helpers.cli import ok


def test_int8_is_smaller(toy_model: Path, tmp_path: Path) -> None:
    exact = ok("export", toy_model, tmp_path / "exact", "--json").json
    small = ok("export", toy_model, tmp_path / "small", "--int8", "--json").json
    assert small["bytes"] < exact["bytes"]
    done = ok("predict", "-m", tmp_path / "small", "-f", "jsonl", "the rector of Oslo spoke .")
    assert done.jsonl[0]["entities"][0]["label"] == "PERSON"
    assert "encoder.onnx" in ok("export", toy_model, tmp_path / "again").out
