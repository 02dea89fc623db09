from __future__ import annotations

import json
import subprocess
import sys

import pytest

LINE = {"tokens": ["Bob", "left"], "entities": [[0, 1, "PER"]], "doc": "d"}


def innermost(*arguments, stdin=None):
    command = [sys.executable, "-c", "from innermost.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(LINE) + "\n")
    return path


def test_convert_to_standard_output(data):
    done = innermost("convert", data, "-", "--to", "columns")
    assert done.returncode == 0
    assert done.stdout == "# newdoc id = d\nBob\tB-PER\nleft\tO\n\n"
    assert "- (columns): 1 sentence, 1 entity" in done.stderr


@pytest.mark.parametrize(
    ("name", "format"), [("x.tsv", "table"), ("x.json", "native"), ("x.txt", "columns")]
)
def test_convert_names_the_format_that_a_suffix_selects(data, tmp_path, name, format):
    done = innermost("convert", data, tmp_path / name)
    assert done.returncode == 0
    assert f"{name} ({format}): 1 sentence, 1 entity" in done.stderr


def test_convert_standard_input(tmp_path):
    done = innermost(
        "convert", "-", tmp_path / "o.jsonl", "--from", "columns", stdin="Bob\tB-PER\n"
    )
    assert done.returncode == 0
    written = json.loads((tmp_path / "o.jsonl").read_text())
    assert written == {"tokens": ["Bob"], "entities": [[0, 1, "PER"]]}


def test_convert_with_loss(tmp_path, data):
    data.write_text(json.dumps({**LINE, "topic": 1}) + "\n")
    out = tmp_path / "o.conll"
    done = innermost("convert", data, out, "--to", "columns")
    assert done.returncode == 1
    assert "extra key" in done.stderr
    assert "nothing written" in done.stderr
    assert not out.exists()
    done = innermost("convert", data, out, "--to", "columns", "--allow-loss", "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert result["written"] is True
    assert result["report"][0]["what"] == "extra key"
    assert out.exists()


def test_convert_names_the_first_place_of_annotation_that_is_not_read(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Bob left .")
    relations = "".join(f"R{n}\tMET Arg1:T1 Arg2:T1\n" for n in (1, 2))
    (tmp_path / "in" / "a.ann").write_text("T1\tPER 0 3\tBob\n" + relations)
    done = innermost("convert", tmp_path / "in", tmp_path / "o.jsonl")
    assert f"lost: relation (2), first at {tmp_path / 'in' / 'a.ann'}:2\n" in done.stderr
    assert "MET" not in done.stderr


def test_convert_counts_what_was_written(tmp_path, data):
    other = {"tokens": ["a", "b", "c"], "entities": [[0, 2, "X"], [1, 3, "X"]], "topic": 1}
    data.write_text(json.dumps(LINE) + "\n" + json.dumps(other) + "\n")
    done = innermost("convert", data, tmp_path / "o.conll", "--allow-loss")
    assert "o.conll (columns): 2 sentences, 3 entities\n" in done.stderr
    done = innermost("convert", data, tmp_path / "o.brackets", "--allow-loss")
    assert "o.brackets (brackets): 2 sentences, 2 of 3 entities\n" in done.stderr
    done = innermost("convert", data, tmp_path / "p.brackets", "--allow-loss", "--json")
    (output,) = json.loads(done.stdout)["outputs"]
    assert (output["entities"], output["lost_entities"]) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "missing", "x.jsonl", "--set", "nonsense"],
        ["convert", "a", "-", "--json"],
        ["convert"],
        ["stats"],
        ["check", "-"],
        ["stats", "x", "--unknown"],
    ],
)
def test_wrong_use_exits_with_2(arguments):
    done = innermost(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_stats(data):
    done = innermost("stats", data, "--json")
    assert done.returncode == 0
    figures = json.loads(done.stdout)[str(data)]
    assert figures["mentions"] == figures["merged"]["mentions"] == 1
    assert figures["levels"] == [1]
    done = innermost("stats", data)
    assert done.returncode == 0
    assert "labels per token (d)" in done.stdout
    assert innermost("stats", "missing.jsonl").returncode == 1


def test_check(data):
    done = innermost("check", data, "--json")
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["errors"], result["warnings"]) == (0, 1)
    assert result["findings"][0]["what"] == "rare type"
    assert innermost("check", data, "--strict").returncode == 1
    data.write_text(data.read_text() + "{\n")
    done = innermost("check", data)
    assert done.returncode == 1
    assert f"{data}:2:" in done.stdout


def test_check_shows_a_few_findings_or_all(data):
    data.write_text(json.dumps(LINE) + "\n" + "{\n" * 10)
    few = innermost("check", data).stdout.splitlines()
    assert "  ... and 5 more: --all lists them" in few
    every = innermost("check", data, "--all").stdout
    assert all(f"{data}:{number}: " in every for number in range(2, 12))
    assert "more" not in every
    (bad, *_) = json.loads(innermost("check", data, "--all", "--json").stdout)["findings"]
    assert len(bad["examples"]) == bad["count"] == 10


def test_check_writes_one_line_per_finding(data):
    words = " ".join(["word"] * 300)
    data.write_text(json.dumps({"tokens": words.split(), "entities": [[0, 200, "PER"]]}) + "\n")
    _, example, *others = innermost("check", data).stdout.splitlines()
    assert example.startswith(f"  {data}:1: 300 tokens: word")
    assert example.endswith("if it is several sentences, divide it")
    assert all(line.startswith(("warning: ", "  ", "0 errors, ")) for line in others)


@pytest.mark.parametrize("command", ["convert", "stats", "check"])
def test_help_has_an_example(command):
    done = innermost(command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout


def test_the_help_of_convert_names_every_format():
    from innermost.cli.commands.convert import convert
    from innermost.corpus import registry

    assert all(name in convert.__doc__ for name in registry.names())
