"""``innermost predict`` as people and programs meet it."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, cast
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from helpers.toy_corpus import toy_sentences
from innermost import corpus
from innermost.cli.app import app
from innermost.errors import DataError, UsageError
from innermost.export.folder import export
from innermost.model_folder import installed

SENTENCE = "the rector of Oslo spoke on Monday ."
COMMAND = [sys.executable, "-c", "from innermost.cli import main; main()"]


def run(model: Path, *arguments: str, stdin: str | bytes = "") -> str:
    command = ["predict", "--model", str(model), *arguments]
    result = CliRunner().invoke(app, command, input=stdin, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def parsed(output: str) -> list[dict]:
    return [json.loads(line) for line in output.splitlines()]


class Running:
    """The command in a process of its own, with its three streams."""

    def __init__(self, model: Path, *arguments: str) -> None:
        command = [*COMMAND, "predict", "--model", str(model), *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        streams = self.process.stdin, self.process.stdout, self.process.stderr
        self.stdin, self.stdout, self.stderr = cast("tuple[IO[bytes], ...]", streams)

    def send(self, text: str) -> None:
        self.stdin.write(text.encode())
        self.stdin.flush()

    def end(self) -> int:
        return self.process.wait(timeout=20)


def test_jsonl(toy_model: Path) -> None:
    first, second = parsed(run(toy_model, "--format", "jsonl", SENTENCE, "it rained"))
    assert first["text"] == SENTENCE
    outer, inner = first["entities"]
    assert list(outer) == ["start", "end", "label", "text", "level", "score", "parent"]
    assert (outer["text"], outer["label"], outer["parent"]) == (
        "the rector of Oslo",
        "PERSON",
        None,
    )
    assert (inner["start"], inner["end"], inner["label"], inner["parent"]) == (14, 18, "PLACE", 0)
    assert second == {"text": "it rained", "entities": []}


def test_pretty(toy_model: Path) -> None:
    lines = run(toy_model, SENTENCE).splitlines()
    assert lines[0] == SENTENCE
    assert re.fullmatch(r" {14}╰──╯ PLACE [01]\.\d\d", lines[1])
    assert re.search(r"─ PERSON [01]\.\d\d", lines[2])
    assert len(lines[2]) == len("the rector of Oslo")
    assert lines[3:] == [""]


def test_iob(toy_model: Path) -> None:
    rows = [line.split("\t") for line in run(toy_model, "-f", "iob", SENTENCE).splitlines()]
    assert rows[0] == ["# global.columns = FORM NER NER"]
    assert rows[2:6] == [
        ["the", "B-PERSON", "O"],
        ["rector", "I-PERSON", "O"],
        ["of", "I-PERSON", "O"],
        ["Oslo", "I-PERSON", "B-PLACE"],
    ]


def test_brat(toy_model: Path, tmp_path: Path) -> None:
    run(toy_model, "-f", "brat", "-o", str(tmp_path / "out"), SENTENCE)
    (annotations,) = (tmp_path / "out").glob("*.ann")
    assert annotations.read_text() == (
        "T1\tPERSON 0 18\tthe rector of Oslo\nT2\tPLACE 14 18\tOslo\n"
    )
    assert annotations.with_suffix(".txt").read_text() == SENTENCE
    with pytest.raises(UsageError, match="brat is a folder"):
        run(toy_model, "-f", "brat", SENTENCE)


def test_html(toy_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    run(toy_model, "-f", "html", "-o", str(path), SENTENCE)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert page.count("<mark") == 2
    assert f"Found by the model {toy_model.name}." in page


def test_names_of_documents_are_on_the_page_once(toy_model: Path, tmp_path: Path) -> None:
    corpus_file = tmp_path / "corpus.jsonl"
    tokens = SENTENCE.split()
    sentences = [{"tokens": tokens, "doc": doc} for doc in ("one", "one", "two")]
    corpus_file.write_text("".join(json.dumps(s) + "\n" for s in sentences))
    page = run(toy_model, "-f", "html", "-i", str(corpus_file))
    assert re.findall("<h2>(.*?)</h2>", page) == ["one", "two"]
    assert page.count("<article") == 3


def test_svg(toy_model: Path) -> None:
    picture = ElementTree.fromstring(run(toy_model, "-f", "svg", SENTENCE, "it rained"))
    texts = ["".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "it rained" in texts
    assert texts[-2:] == ["PERSON", "PLACE"]


def test_a_terminal_of_unknown_width(toy_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = run(toy_model, SENTENCE)
    monkeypatch.setenv("COLUMNS", "0")
    assert run(toy_model, SENTENCE) == usual


def test_files_of_text(toy_model: Path, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_text(f"{SENTENCE}\n\nnobody in Oslo")
    packed.write_bytes(gzip.compress(b"nobody in Ghent\n"))
    files = ["-i", str(plain), "-i", str(packed)]
    lines = parsed(run(toy_model, "-f", "jsonl", *files))
    assert [line["text"] for line in lines] == [SENTENCE, "", "nobody in Oslo", "nobody in Ghent"]
    whole = parsed(run(toy_model, "-f", "jsonl", "--whole", *files))
    assert [line["text"] for line in whole] == [plain.read_text(), "nobody in Ghent\n"]
    assert [e["text"] for e in whole[0]["entities"]] == ["the rector of Oslo", "Oslo", "Oslo"]


def test_corpora_keep_their_tokens_and_names(toy_model: Path, tmp_path: Path) -> None:
    gold = toy_sentences()[:6]
    for number, sentence in enumerate(gold):
        sentence.id = f"s{number}"
        sentence.doc = "one"
    source, target = tmp_path / "gold.jsonl", tmp_path / "out.iob"
    corpus.write(gold, source, format="native")
    run(toy_model, "-f", "iob", "-i", str(source), "-o", str(target))
    found = list(corpus.read(target, format="columns"))
    assert [s.tokens for s in found] == [s.tokens for s in gold]
    assert [s.id for s in found] == [s.id for s in gold]
    assert [sorted(s.entities) for s in found] == [sorted(s.entities) for s in gold]


def test_gold_entities_give_no_hints(toy_model: Path, tmp_path: Path) -> None:
    source = tmp_path / "gold.jsonl"
    source.write_text('{"text": "in Oslo", "entities": [{"start": 4, "end": 7, "label": "X"}]}\n')
    (line,) = parsed(run(toy_model, "-f", "jsonl", "-i", str(source)))
    assert [e["text"] for e in line["entities"]] == ["Oslo"]


def test_depth_and_score(toy_model: Path) -> None:
    text = "the sister of the mayor of the Academy of Lyon spoke on Monday ."
    outer = parsed(run(toy_model, "-f", "jsonl", "--max-depth", "1", text))[0]["entities"]
    assert {e["level"] for e in outer} == {1}
    every = parsed(run(toy_model, "-f", "jsonl", text))[0]["entities"]
    assert len(every) == len(outer) + 1
    none = parsed(run(toy_model, "-f", "jsonl", "--min-score", "1", text))[0]["entities"]
    assert len(none) < len(every)


def test_wrong_use(toy_model: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="both TEXT and --input"):
        run(toy_model, "-i", "-", "text")
    with pytest.raises(DataError, match="no such file"):
        run(toy_model, "-i", str(tmp_path / "absent.txt"))
    letter = tmp_path / "letter.md"
    letter.write_text("nobody in Oslo\n")
    with pytest.raises(DataError, match="--from text"):
        run(toy_model, "-i", str(letter))
    assert "Oslo" in run(toy_model, "-i", str(letter), "--from", "text")
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"fine\n\xff\n")
    with pytest.raises(DataError, match=r"bad\.txt:2: byte 0xff is not UTF-8"):
        run(toy_model, "-i", str(bad))


def test_lines_are_answered_as_they_arrive(toy_model: Path) -> None:
    running = Running(toy_model, "-f", "jsonl")
    for text in ("nobody in Oslo", "", SENTENCE):
        running.send(f"{text}\n")
        # The stream is still open, and yet the answer is there.
        assert json.loads(running.stdout.readline())["text"] == text
    running.stdin.close()
    assert running.stdout.read() == b""
    assert running.end() == 0
    assert running.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_leaves_whole_lines(toy_model: Path) -> None:
    running = Running(toy_model, "-f", "jsonl")
    running.send(f"{SENTENCE}\n" * 50)
    begun = running.stdout.readline() + running.stdout.readline()
    running.process.send_signal(signal.SIGINT)
    rest = running.stdout.read()
    assert running.end() == 130
    assert running.stderr.read() == b""
    lines = (begun + rest).decode().splitlines(keepends=True)
    assert len(lines) > 1
    assert all(json.loads(line) and line.endswith("\n") for line in lines)


@pytest.mark.skipif(os.name == "nt", reason="needs a shell's pipes")
def test_a_broken_pipe_is_silent(toy_model: Path) -> None:
    running = Running(toy_model, "-f", "jsonl")
    running.send(f"{SENTENCE}\n")
    running.stdout.readline()
    running.stdout.close()
    with suppress(BrokenPipeError):  # it may be gone before all is sent
        running.send(f"{SENTENCE}\n" * 2000)
    assert running.end() == 0
    assert running.stderr.read() == b""


def test_models_and_export_commands(
    toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MODELS", tmp_path)
    runner = CliRunner()
    empty = runner.invoke(app, ["models"])
    assert empty.exit_code == 0
    assert "no model is installed" in empty.stderr
    result = runner.invoke(app, ["export", str(toy_model), str(tmp_path / "toy"), "--json"])
    assert "encoder.onnx" in json.loads(result.stdout)["files"]
    (tmp_path / "toy" / "README.md").write_text("# Toy\n\nNames in\nsmall sentences.\n\nMore.\n")
    (model,) = json.loads(runner.invoke(app, ["models", "--json"]).stdout)["models"]
    assert model["name"] == "toy"
    assert model["summary"] == "Names in small sentences."
    assert model["scores"]["dev"]["f1"] == 1.0
    listed = runner.invoke(app, ["models"]).stdout
    assert "toy" in listed
    assert "ORG, PERSON, PLACE, dev F1 100.00" in listed
    assert parsed(runner.invoke(app, ["predict", "-f", "jsonl", SENTENCE]).stdout)[0]["entities"]


def test_bench(toy_model: Path, toy_corpus_file: Path) -> None:
    command = ["bench", str(toy_model), str(toy_corpus_file), "--rounds", "1"]
    result = CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False)
    measured = json.loads(result.stdout)
    assert measured["sentences"] == 48
    assert measured["entities"] == 96
    assert list(measured["batch_sizes"]) == ["1", "8", "32", "128"]
    assert list(measured["depths"]) == ["1", "2", "3", "4", "5", "unlimited"]
    assert measured["depths"]["1"]["ratio"] == 1.0
    assert set(measured["stages"]) == {
        "tokenize",
        "features",
        "encoder",
        "decode",
        "scores",
        "output",
    }
    assert sum(measured["stages"].values()) == pytest.approx(1.0)
    assert 0 < measured["cold_start_seconds"] < 30


def test_export_int8_is_smaller(toy_model: Path, tmp_path: Path) -> None:
    exact = export(toy_model, tmp_path / "exact")
    small = export(toy_model, tmp_path / "small", int8=True)
    assert parsed(run(small, "-f", "jsonl", SENTENCE))[0]["entities"][0]["label"] == "PERSON"
    sizes = [sum(f.stat().st_size for f in folder.iterdir()) for folder in (exact, small)]
    assert sizes[1] < sizes[0]
