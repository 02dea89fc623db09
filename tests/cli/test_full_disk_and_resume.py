"""Long commands on a disk that is full at every possible moment: resumed, they lose nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch")

from helpers.cli import Result, innermost
from helpers.failing_files import FailingFiles
from helpers.small_training import arguments

TIMED = ("seconds", "tokens_per_second", "date", "time")
"""Keys whose values differ from run to run."""


@dataclass(frozen=True)
class Case:
    command: Callable[[Path, Path, Path], Sequence[object]]
    """Of the corpus, a model and the folder for the output."""
    same: Sequence[str]
    """Patterns of the files that must be the same as without the failure."""


CASES = {
    "train": Case(
        lambda corpus, model, out: [
            *("train", "--train", corpus, "--dev", corpus, "--out", out / "run"),
            *arguments(training__epochs=2, training__batch_tokens=1_000),
        ],
        ["run/model/*.npy", "run/model/*.onnx", "run/model/*.safetensors", "run/model/*.json"],
    ),
    "pretrain vectors": Case(
        lambda corpus, model, out: [
            *("pretrain", "vectors", corpus.with_suffix(".txt"), "--out", out / "vectors.npz"),
            *("--dimension", 4, "--min-count", 1, "--epochs", 2, "--device", "cpu"),
            *("--save-every", 0),
        ],
        ["vectors.npz"],
    ),
    "predict --jobs": Case(
        lambda corpus, model, out: [
            *("predict", "-m", model, "--input", corpus.with_suffix(".txt")),
            *("--output", out / "found"),
            *("--jobs", 1),
        ],
        ["found/*.jsonl"],
    ),
}


@pytest.fixture(scope="module")
def corpus(toy_corpus_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full-disk") / "toy.jsonl"
    lines = toy_corpus_file.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:12]), encoding="utf-8")
    texts = [" ".join(json.loads(line)["tokens"]) for line in lines]
    path.with_suffix(".txt").write_text("\n".join(texts), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", CASES)
def test_every_operation_may_fail(name: str, corpus: Path, toy_model: Path, tmp_path: Path) -> None:
    case = CASES[name]

    def run(out: Path, *options: str, failing: int | None = None) -> tuple[Result, int]:
        with FailingFiles(failing).installed() as files:
            return innermost(*case.command(corpus, toy_model, out), *options), files.operations

    def contents(out: Path) -> dict[str, bytes]:
        paths = sorted(path for pattern in case.same for path in out.glob(pattern))
        return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}

    done, operations = run(tmp_path / "whole")
    assert done.code == 0, done.err
    assert operations > 4
    whole = contents(tmp_path / "whole")
    assert whole
    for number in range(1, operations + 1):
        out = tmp_path / str(number)
        failed, _ = run(out, failing=number)
        assert failed.code != 0, f"operation {number}"
        assert "No space left on device" in failed.err, failed.err
        assert "Traceback" not in failed.err
        resumed, _ = run(out, "--resume")
        assert resumed.code == 0, f"operation {number}: {resumed.err}"
        assert contents(out) == whole, f"operation {number}"
