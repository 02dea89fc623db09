"""The first experience after installing the package."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import innermost as package
from helpers.cli import COMMAND, innermost, innermost_process, ok
from innermost.cli.app import COMMANDS, app


def test_version() -> None:
    assert ok("--version").out == f"innermost {package.__version__}\n"


def test_shell_completion_knows_the_commands() -> None:
    asked = {"_INNERMOST_COMPLETE": "complete_bash", "COMP_WORDS": "innermost pre"}
    done = innermost_process(env={**asked, "COMP_CWORD": "1"})
    assert {"predict", "pretrain"} <= set(done.out.split())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_quiet_and_shows_no_type_for_a_flag(name: str) -> None:
    group = typer.main.get_command(app)
    command = group.get_command(None, name)  # type: ignore[attr-defined]
    leaves = list(getattr(command, "commands", {}).values()) or [command]
    for leaf in leaves:
        names = {option for parameter in leaf.params for option in parameter.opts}
        assert {"-q", "-v"} <= names
    assert "<bool>" not in ok(name, "--help").out


def test_the_list_of_commands_shows_no_type_for_a_flag() -> None:
    assert "<bool>" not in ok("--help").out


def test_the_first_example_of_the_help_finds_names_inside_names() -> None:
    (command,) = re.findall(r'Example: innermost (predict) "(.*?)"', ok("predict", "--help").out)
    assert any(e["parent"] is not None for e in ok(*command, "-f", "jsonl").jsonl[0]["entities"])
    (text,) = re.findall(r'nlp\("(.*?)"\)', package.__doc__ or "")
    assert any(entity.parent is not None for entity in package.load()(text).entities)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    done = innermost("train", "--train", "a.jsonl", "--out", "out")
    assert done.code == 2
    assert done.err.startswith("error: Training needs the package torch, which is not installed\n")
    assert "pip install 'innermost[train]'" in done.err
    assert "CPU build" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["prdict"], "error: unknown command 'prdict'\n  did you mean 'predict'?\n"),
        (["evaluate", "genia"], "error: missing argument 'data'\n"),
        (["predict", "--theads", "2", "x"], "error: no such option"),
        (["stats", "missing.jsonl"], "error: missing.jsonl: no such file or folder\n"),
        (["stats", "x", "--tokenizer", "bpe"], "error: unknown tokenizer 'bpe'\n"),
        (["train", "--preset", "x"], "error: invalid value for '--preset': 'x' is not one of"),
    ],
)
def test_all_errors_look_alike(arguments: list[str], message: str) -> None:
    done = innermost(*arguments)
    assert done.code in (1, 2)
    assert done.err.lower().startswith(message)
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["train", "--train"], "train"),
        (["predict", "--theads", "2"], "predict"),
        (["pretrain", "encoder", "--text"], "pretrain encoder"),
        (["pretrain", "encoder", "--out"], "pretrain encoder"),
    ],
)
def test_usage_errors_name_the_help_of_the_command(arguments: list[str], command: str) -> None:
    done = innermost(*arguments)
    assert done.code == 2
    assert f"`innermost {command} --help` lists the options" in done.err


def test_a_model_that_is_not_an_argument() -> None:
    done = innermost("serve", "genia")
    assert done.code == 2
    message, hint = done.err.splitlines()
    assert message.startswith("error: got unexpected extra argument")  # (s), by click's version
    assert hint == (
        "  a model is named with an option: `innermost serve --model NAME`; "
        "`innermost serve --help` lists the options"
    )
    assert "--model" not in innermost("doctor", "genia").err


def test_a_corpus_that_is_not_an_argument() -> None:
    done = innermost("train", "train.jsonl")
    assert done.code == 2
    assert "each file is named with an option: `innermost train --train FILE --train" in done.err


@pytest.mark.parametrize(
    ("arguments", "command", "option"),
    [
        (["-q", "convert", "a.jsonl", "b.conll"], "convert", "-q"),
        (["--model", "litbank", "predict", "x"], "predict", "--model"),
        (["--nothing"], "COMMAND", "--nothing"),
    ],
)
def test_options_follow_the_command(arguments: list[str], command: str, option: str) -> None:
    done = innermost(*arguments)
    assert done.code == 2
    assert done.err == (
        f"error: no such option before the command: {option}\n"
        f"  options follow the command: `innermost {command} ... {option}`; "
        f"`innermost {command} --help` lists them\n"
    )


def test_verbose_says_where_an_error_comes_from() -> None:
    assert "Traceback" in innermost("stats", "missing.jsonl", "-v").err
    assert "Traceback" not in innermost("stats", "missing.jsonl").err


def test_the_package_shows_what_it_offers() -> None:
    shown = {name for name in dir(package) if not name.startswith("_")}
    assert shown == set(package.__all__) - {"__version__"}
    for name in package.__all__:
        assert getattr(package, name) is not None
    page = (Path(__file__).parents[2] / "docs" / "index.md").read_text(encoding="utf-8")
    assert shown <= set(re.findall(r"`(\w+)`", page.partition("## Python API")[2]))
    assert package.errors.DataError.__doc__
    assert "load" in (package.__doc__ or "")


def test_a_file_or_a_model_among_the_texts_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "news.txt"
    path.write_text("It rained.")
    done = ok("predict", path, "english")
    assert f"to read the file: --input {path}" in done.err.replace("\n", "")
    assert "to use the model: --model english" in done.err


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    line = '{"tokens": ["Ghent"], "entities": [[0, 1, "GPE"]]}\n'
    (tmp_path / "large.jsonl").write_text(line * 20_000, encoding="utf-8")
    command = [*COMMAND, "convert", tmp_path / "large.jsonl", "-", "--to", "jsonl"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert b"Ghent" in process.stdout.readline()
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


def test_system_errors_are_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    def vanished(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error", "disk/file")

    monkeypatch.setattr("innermost.model_folder.installed.installed_models", vanished)
    done = innermost("models")
    assert done.code == 1
    assert done.err.startswith("error: disk/file: Input/output error\n")
