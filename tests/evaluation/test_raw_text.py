"""Models on raw text: they find sentences and tokens themselves."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.cli import ok

TEXT = "The mayor's wife can't see the inn at Ghent. The wife of Bob left Paris."


def test_a_model_is_right_about_its_own_predictions(tmp_path: Path) -> None:
    ok("predict", "-m", "litbank", TEXT, "-o", tmp_path / "own.jsonl")
    result = ok("evaluate", "litbank", tmp_path / "own.jsonl", "--raw-text", "--json").json
    assert result["micro"]["f1"] == 1.0
    assert result["reachable"] == {"litbank": 1.0}


def test_tokens_without_their_spacing_are_not_the_original_text(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    record = {"tokens": ["市", "长", "走", "了"], "entities": [[0, 2, "PER"]]}

    def output(*options: str, **spacing: list[str]) -> str:
        data.write_text(json.dumps({**record, **spacing}) + "\n")
        return ok("evaluate", "litbank", data, *options).out

    note = "the spacing is not that of the original text, because the data has none"
    assert note in output("--raw-text")
    assert note in output("--raw-text", gaps=["", " ", " ", " ", ""])
    assert note not in output("--raw-text", gaps=[""] * 5)
    assert note not in output()
    assert json.loads(output("--raw-text", "--json"))["spacing"] is False


def test_gold_inside_a_token_of_the_model_cannot_be_found(tmp_path: Path) -> None:
    data = tmp_path / "gold.jsonl"
    entities = [[0, 18, "PER"], [13, 18, "GPE"], [14, 18, "GPE"], [13, 17, "GPE"]]
    record = {"text": "The mayor of Ghent spoke.", "entities": entities}
    data.write_text(json.dumps(record) + "\n")
    result = ok("evaluate", "litbank", data, "--raw-text", "--json").json
    assert result["reachable"] == {"litbank": 0.5}
    assert (result["micro"]["gold"], result["micro"]["correct"]) == (4, 2)
    assert "50.00%" in ok("evaluate", "litbank", data, "--raw-text").out
    assert "reachable" not in ok("evaluate", "litbank", data, "--json").json
