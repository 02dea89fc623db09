"""Commands on a disk that is full at every possible moment: a message, and nothing half written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.cli import Result, innermost
from helpers.failing_files import FailingFiles

TEXT = "the rector of Oslo spoke on Monday .\n" * 3

Command = Callable[[Path, Path], Result]


def _convert(target: str) -> Command:
    return lambda model, folder: innermost(
        "convert", folder / "in.jsonl", folder / target, "--to", target.split("-")[0]
    )


def _predict(*options: str) -> Command:
    return lambda model, folder: innermost(
        "predict", "-m", model, "-i", folder / "in.txt", "-o", folder / "out.jsonl", *options
    )


COMMANDS: dict[str, Command] = {
    "convert to a file": _convert("native-out.jsonl"),
    "convert to a folder": _convert("brat-out"),
    "predict": _predict(),
    "export": lambda model, folder: innermost("export", model, folder / "out"),
    "package": lambda model, folder: innermost(
        "package", model, "--name", "toy", "--version", "1.0", "--out", folder / "out"
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_operation_may_fail(name: str, toy_model: Path, tmp_path: Path) -> None:
    command = COMMANDS[name]

    def run(number: int | None) -> tuple[Result, FailingFiles, Path]:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "in.txt").write_text(TEXT)
        (folder / "in.jsonl").write_text('{"tokens": ["Oslo"], "entities": [[0, 1, "PLACE"]]}\n')
        with FailingFiles(number).installed() as files:
            return command(toy_model, folder), files, folder

    def contents(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    done, counted, folder = run(None)
    assert done.code == 0, done.err
    complete = contents(folder)
    assert counted.operations > 2
    before = {"in.txt", "in.jsonl"}
    for number in range(1, counted.operations + 1):
        failed, _, folder = run(number)
        assert failed.code != 0, f"operation {number}"
        assert "No space left on device" in failed.err
        assert "Traceback" not in failed.err
        left = contents(folder)
        assert not any(path.startswith(".innermost-") for path in left)
        # The last sync comes after the rename: the output may be there, but only whole.
        assert set(left) in (before, set(complete)), f"operation {number}"
