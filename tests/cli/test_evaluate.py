"""The commands as a user sees them: stdout, stderr and exit codes."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from helpers.cli import innermost, ok
from innermost.cli import main
from innermost.corpus import Options, read, write
from innermost.evaluation.results import names
from innermost.evaluation.systems import is_prediction_file
from innermost.files.compression import SUFFIXES
from innermost.model_folder.installed import installed

GOLD = """\
{"doc": "a", "tokens": ["the", "old", "town", "hall"], "entities": [[0, 4, "FAC"], [1, 3, "GPE"]]}
{"doc": "a", "tokens": ["she", "left"], "entities": [[0, 1, "PER"]]}
"""
GOOD = """\
{"tokens": ["the", "old", "town", "hall"], "entities": [[0, 4, "FAC", 0.9], [1, 3, "GPE", 0.7]]}
{"tokens": ["she", "left"], "entities": [[1, 2, "PER", 0.2]]}
"""
POOR = """\
{"tokens": ["the", "old", "town", "hall"], "entities": [[0, 4, "FAC"]]}
{"tokens": ["she", "left"], "entities": []}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in {"gold": GOLD, "good": GOOD, "poor": POOR}.items():
        (tmp_path / f"{name}.jsonl").write_text(text)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["innermost", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    return int(stopped.value.code or 0)


def test_evaluate_prints_tables_and_the_fingerprint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "evaluate", "good.jsonl", "gold.jsonl") == 0
    output = capsys.readouterr().out
    assert "fingerprint" in output
    for title in ("Micro average", "By type", "Recall by gold level", "Calibration"):
        assert title in output
    assert "66.67" in output


def test_evaluate_json_has_the_documented_shape(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "evaluate", "good.jsonl", "gold.jsonl", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["micro"] == {
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3),
        "f1": pytest.approx(2 / 3),
        "gold": 3,
        "predicted": 3,
        "correct": 2,
    }
    assert set(result["types"]) == {"FAC", "GPE", "PER"}
    assert result["levels"]["gold"]["1"]["recall"] == pytest.approx(2 / 3)
    assert len(result["fingerprint"]) == 12


def test_evaluate_writes_the_report_and_says_so_on_stderr(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["good.jsonl", "gold.jsonl", "--also", "poor.jsonl", "--train", "gold.jsonl"]
    assert run(monkeypatch, "evaluate", *arguments, "--report", "out") == 0
    output, errors = capsys.readouterr()
    names = ["report.html", "report.json", "report.md"]
    assert sorted(p.name for p in (folder / "out").iterdir()) == names
    assert all(name in errors for name in names)
    assert "Mean and deviation" in output
    assert "By presence of the surface form in the training data" in output


def test_types_that_a_model_does_not_know_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "evaluate", "genia", "gold.jsonl") == 0
    warning = "warning: the model genia knows none of the types of the data (1)\n"
    assert warning + "   unknown: FAC, GPE, PER; known: DNA, RNA" in capsys.readouterr().err
    assert run(monkeypatch, "compare", "good.jsonl", "genia", "gold.jsonl") == 0
    assert warning in capsys.readouterr().err
    assert run(monkeypatch, "evaluate", "litbank", "gold.jsonl") == 0
    assert "knows" not in capsys.readouterr().err


def test_data_without_most_types_of_a_model_is_pointed_out(folder: Path) -> None:
    tokens = ["Anna", "Smith", "of", "Oslo", "met", "the", "old", "mayor", "of", "Ghent", "."]
    places = {"tokens": tokens, "entities": [[3, 4, "place"], [9, 10, "place"]]}
    Path("places.jsonl").write_text(json.dumps(places))
    Path("predictions.jsonl").write_text(json.dumps(places))
    warning = "warning: the data annotates only 1 of the 10 types of english (1)\n"
    hint = " of the others; --types place leaves them out"
    for command in (["evaluate", "english"], ["compare", "predictions.jsonl", "english"]):
        done = ok(*command, "places.jsonl")
        assert warning in done.err
        assert hint in done.err
        assert "the data annotates" not in ok(*command, "places.jsonl", "--types", "place").err
    assert "the data annotates" not in ok("evaluate", "predictions.jsonl", "places.jsonl").err


def test_data_without_any_entity_is_pointed_out(folder: Path) -> None:
    Path("none.jsonl").write_text(json.dumps({"tokens": ["Bob", "left"], "entities": []}))
    warning = "warning: the data has no entities (1)\n"
    assert warning in ok("evaluate", "english", "none.jsonl").err
    assert warning not in ok("evaluate", "english", "none.jsonl", "--types", "person").err
    assert warning in ok("compare", "english", "litbank", "none.jsonl").err


def test_data_and_model_the_wrong_way_round(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "evaluate", "gold.jsonl", "litbank") == 2
    assert "litbank is a model, not data" in capsys.readouterr().err


def test_different_models_have_no_mean(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "evaluate", "litbank", "gold.jsonl", "--also", "genia") == 0
    assert "Mean and deviation" not in capsys.readouterr().out
    assert run(monkeypatch, "evaluate", "litbank", "gold.jsonl", "--also", "good.jsonl") == 0
    assert "Mean and deviation" not in capsys.readouterr().out
    copy = folder / "copy"
    shutil.copytree(installed()["litbank"], copy)
    assert run(monkeypatch, "evaluate", "litbank", "gold.jsonl", "--also", str(copy)) == 0
    assert "Mean and deviation" in capsys.readouterr().out


def test_data_without_entities_is_pointed_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bare.jsonl").write_text('{"tokens": ["she", "left"], "entities": []}')
    assert run(monkeypatch, "evaluate", "bare.jsonl", "bare.jsonl") == 0
    assert "The data has no entities" in capsys.readouterr().out


def test_compare_gives_difference_interval_and_p(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["compare", "good.jsonl", "poor.jsonl", "gold.jsonl"]
    assert run(monkeypatch, *arguments, "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["difference"]["f1"] == pytest.approx(2 / 3 - 1 / 2)
    assert result["exact"] is True
    assert result["unit"] == "sentence"
    assert result["units"] == 2
    assert run(monkeypatch, *arguments, "--by-document") == 0
    output, notes = capsys.readouterr()
    assert "fingerprint" in output
    assert "1 document\n" in output
    assert "p = 1.0000 " in output
    assert "warning: --by-document with 1 document" in notes
    assert "a p-value is always 1; use more documents" in notes


@pytest.mark.parametrize(("documents", "is_warned"), [(3, True), (6, False)])
def test_too_few_documents_to_draw_are_pointed_out(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    documents: int,
    is_warned: bool,
) -> None:
    lines = [GOLD.splitlines()[0].replace('"a"', f'"{n}"') for n in range(documents)]
    (folder / "many.jsonl").write_text("\n".join(lines))
    for command in (["evaluate", "many.jsonl"], ["compare", "many.jsonl", "many.jsonl"]):
        assert run(monkeypatch, *command, "many.jsonl", "--by-document") == 0
        notes = capsys.readouterr().err
        assert ("a p-value is never below 0.25" in notes) is is_warned


def test_compare_without_gold_measures_agreement(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "compare", "good.jsonl", "poor.jsonl", "--json") == 0
    agreement = json.loads(capsys.readouterr().out)["agreement"]
    assert agreement["f1"] == pytest.approx(0.5)
    assert run(monkeypatch, "compare", "good.jsonl", "poor.jsonl") == 0
    assert "50.00" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["evaluate", "gold.jsonl", "nowhere.jsonl"], 1, "nowhere.jsonl"),
        (["evaluate", "nowhere.jsonl", "gold.jsonl"], 1, "nowhere.jsonl: no such file"),
        (
            ["evaluate", "short.jsonl", "gold.jsonl"],
            1,
            "ends before the end of sentence 2 of the gold data",
        ),
        (["evaluate", "other.jsonl", "gold.jsonl"], 1, "other.jsonl:1: token 0 is 'a'"),
        (["evaluate", "good.jsonl"], 2, ""),
        (["evaluate", "empty.jsonl", "empty.jsonl"], 1, "empty.jsonl: the data has no sentences"),
        (["evaluate", "genia", "empty.jsonl"], 1, "empty.jsonl: the data has no sentences"),
        (
            ["evaluate", "genia", "empty.jsonl", "--raw-text"],
            1,
            "empty.jsonl: the data has no sentences",
        ),
        (
            ["compare", "good.jsonl", "genia", "empty.csv", "--from", "csv"],
            1,
            "empty.csv: the data has no sentences",
        ),
        (["compare", "empty.jsonl", "good.jsonl"], 1, "empty.jsonl: the data has no sentences"),
        (["compare", "good.jsonl", "none.xml"], 1, "none.xml: no such file"),
        (["compare", "good.jsonl", "some-model"], 2, "some-model is not a file of predictions"),
    ],
)
def test_wrong_input_is_a_message_and_an_exit_code(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    (folder / "short.jsonl").write_text(GOOD.splitlines()[0])
    (folder / "other.jsonl").write_text(GOOD.replace("the", "a"))
    for name in ("empty.jsonl", "empty.csv"):
        (folder / name).touch()
    assert run(monkeypatch, *arguments) == code
    output, errors = capsys.readouterr()
    assert output == ""
    assert message in errors
    assert "Traceback" not in errors


def test_types_can_be_renamed_and_chosen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = GOLD.replace("GPE", "place").replace("PER", "person")
    (folder / "other.jsonl").write_text(text)

    def counts(*options: str) -> list[int]:
        assert run(monkeypatch, "evaluate", "good.jsonl", "other.jsonl", "--json", *options) == 0
        micro = json.loads(capsys.readouterr().out)["micro"]
        return [micro[name] for name in ("gold", "predicted", "correct")]

    assert counts() == [3, 3, 1]
    assert counts("--rename", "place=GPE", "--rename", "person=PER") == [3, 3, 2]
    assert counts("--rename", "place=GPE", "--types", "GPE, FAC") == [2, 2, 2]
    assert counts("--rename", "place=") == [2, 3, 1]
    compared = ["compare", "good.jsonl", "poor.jsonl", "other.jsonl"]
    assert run(monkeypatch, *compared, "--types", "FAC", "--json") == 0
    systems = json.loads(capsys.readouterr().out)["systems"]
    assert [system["micro"]["f1"] for system in systems] == [1.0, 1.0]
    assert run(monkeypatch, "compare", "good.jsonl", "poor.jsonl", "--types", "PER", "--json") == 0
    assert json.loads(capsys.readouterr().out)["agreement"]["gold"] == 1
    assert run(monkeypatch, "evaluate", "good.jsonl", "other.jsonl", "--types", "FAC,LOC") == 0
    assert "LOC; it has FAC" in capsys.readouterr().err
    assert run(monkeypatch, "evaluate", "good.jsonl", "other.jsonl", "--rename", "place") == 2
    assert "not of the form OLD=NEW: 'place'" in capsys.readouterr().err


def test_chosen_types_that_nothing_has_are_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "other.jsonl").write_text(GOLD.replace("PER", "person"))

    def hint(*arguments: str, types: str) -> str:
        assert run(monkeypatch, *arguments, "--types", types) == 2
        output, errors = capsys.readouterr()
        assert not output
        error, hint = errors.splitlines()
        expected = f"error: no entities of --types {types}, in the data or in the predictions"
        assert error == expected
        return hint.strip()

    pair = ("good.jsonl", "other.jsonl")
    assert hint("evaluate", *pair, types="PRE") == "did you mean PER?"
    assert hint("evaluate", *pair, types="XYZ") == "the types are: FAC, GPE, PER, person"
    assert hint("compare", *pair, "other.jsonl", types="persn,GEP") == "did you mean person,GPE?"
    for options in ([], ["--raw-text"]):
        found = hint("evaluate", "litbank", "other.jsonl", *options, types="LCO")
        assert found == "did you mean LOC?"
    assert run(monkeypatch, "evaluate", *pair, "--types", "PER") == 0  # only predicted
    assert run(monkeypatch, "evaluate", "litbank", "other.jsonl", "--types", "LOC") == 0


def test_predictions_are_not_found_in_raw_text(folder: Path) -> None:
    done = innermost("evaluate", "good.jsonl", "gold.jsonl", "--raw-text")
    assert done.code == 2
    assert "good.jsonl is a file of predictions" in done.err
    ok("evaluate", "good.jsonl", "gold.jsonl", "--also", "litbank", "--raw-text")


def test_raw_text_counts_only_the_chosen_types(tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "all.jsonl"
    innermost("predict", "-m", "litbank", "-o", predicted, "The mayor of Ghent left his wife.")
    sentences = list(read(predicted, options=Options(tokenizer="ptb")))
    write(sentences, gold)
    arguments = ["evaluate", "litbank", gold, "--types", "PER", "--json"]
    for options in ([], ["--raw-text"]):
        micro = ok(*arguments, *options).json["micro"]
        persons = sum(e.label == "PER" for s in sentences for e in s.entities)
        assert micro["gold"] == micro["predicted"] == micro["correct"] == persons > 0


def test_a_model_is_named_after_its_run_and_a_folder_keeps_its_dots(tmp_path: Path) -> None:
    file, folder = tmp_path / "a.jsonl", tmp_path / "litbank-1.1"
    file.write_text("", encoding="utf-8")
    folder.mkdir()
    (tmp_path / "mine" / "model").mkdir(parents=True)
    assert names([tmp_path / "mine" / "model", file, folder]) == ["mine", "a", "litbank-1.1"]
    both = [tmp_path / "mine", tmp_path / "mine" / "model"]
    assert names(both) == [str(path) for path in both]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_is_a_file_whatever_its_compression(tmp_path: Path, suffix: str) -> None:
    missing = tmp_path / f"predictions.jsonl{suffix}"
    assert is_prediction_file(missing)


def test_data_from_standard_input_for_a_model_with_layers() -> None:
    done = innermost("evaluate", "english", "-", "--json", stdin=GOLD)
    assert done.code == 0, done.err
    assert json.loads(done.out)["micro"]["gold"] == 3
