"""Text annotated by several models together, by a script run on the models that come along."""

import subprocess
import sys
from pathlib import Path

import innermost
from innermost.corpus import Sentence, read, write

SCRIPT = Path(__file__).resolve().parents[2] / "recipes" / "silver.py"
LINES = [
    "The wife of the mayor of Bristol kept the inn by the harbour. Her uncle had gone to Wales.",
    "Go on! The captain of the old ship came home to the village in the north.",
]


def run(tmp_path, *arguments, lines=LINES):
    text, out = tmp_path / "text.txt", tmp_path / "silver.jsonl"
    text.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, SCRIPT, *arguments, "--text", text, "--out", out]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True), out


def test_a_model_with_itself_finds_what_it_finds_alone(tmp_path):
    done, out = run(tmp_path, "litbank", "litbank")
    assert done.returncode == 0, done.stderr
    found = list(read(out))
    assert sorted(len(s.tokens) for s in found) == [7, 14, 15]  # "Go on!" is too short
    alone = innermost.load("litbank").predict_sentences(found)
    for sentence, spans in zip(found, alone, strict=True):
        assert {(e.start, e.end, e.label) for e in sentence.entities} == {
            (span[0], span[1], span[2]) for span in spans
        }
    assert sum(len(s.entities) for s in found) > 5


def test_paragraphs_like_the_data_are_taken_first(tmp_path):
    data = tmp_path / "train.jsonl"
    write([Sentence(["The", "captain", "of", "the", "ship", "sailed", "home"], [])], data)
    prices = [f"The price of wheat rose by {n} per cent in the markets." for n in range(20)]
    done, out = run(
        tmp_path, "litbank", "--like", data, "--tokens", "15", lines=[*prices, LINES[1], *prices]
    )
    assert done.returncode == 0, done.stderr
    assert [s.tokens[1] for s in read(out)] == ["captain"]


def test_models_of_different_corpora_are_refused(tmp_path):
    done, out = run(tmp_path, "litbank", "genia")
    assert done.returncode == 1
    assert "different types" in done.stderr
    assert not out.exists()
