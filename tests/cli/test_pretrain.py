"""The command: interrupted at any moment, resumed, called the wrong way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from innermost.cli.app import app
from innermost.errors import CheckpointError, UsageError
from innermost.files.lock import locked
from innermost.pretraining.characters import CharacterSettings, pretrain_characters
from innermost.pretraining.encoder import EncoderSettings, pretrain_encoder
from innermost.pretraining.events import Event, HeldOut
from innermost.pretraining.settings import Execution
from innermost.pretraining.vectors import VectorSettings, pretrain_vectors
from pretraining.pretraining_text import two_worlds, write_lines
from pretraining.tiny_encoder import write_tiny_encoder

Start = Callable[..., Iterator[Event]]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "text.txt", two_worlds(300))


@pytest.fixture(params=["vectors", "characters", "encoder"])
def start(request: pytest.FixtureRequest, text: Path, tmp_path: Path) -> Start:
    """Starts or resumes a small pretraining run."""

    def vectors(out: Path, seed: int = 1, **options: Any) -> Iterator[Event]:
        chosen = VectorSettings(dimension=8, epochs=4, min_count=1, seed=seed)
        return pretrain_vectors([text], out, chosen, Execution(**options), processes=1)

    def characters(out: Path, seed: int = 1, **options: Any) -> Iterator[Event]:
        chosen = CharacterSettings(hidden=16, streams=4, length=50, layers=2, seed=seed)
        return pretrain_characters([text], out, chosen, Execution(**options), processes=1)

    def encoder(out: Path, seed: int = 1, **options: Any) -> Iterator[Event]:
        folder = tmp_path / "tiny"
        if not folder.exists():
            write_tiny_encoder(folder)
        chosen = EncoderSettings(
            init=str(folder), epochs=2, length=16, batch_tokens=256, whole_words=True, seed=seed
        )
        return pretrain_encoder([text], out, chosen, Execution(**options))

    return {"vectors": vectors, "characters": characters, "encoder": encoder}[request.param]


def _content(out: Path) -> dict[str, bytes]:
    if out.is_file():
        return {"": out.read_bytes()}
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def _stop_after(events: Iterator[Event], measurements: int) -> None:
    for event in events:
        measurements -= isinstance(event, HeldOut)
        if not measurements:
            return


def test_a_run_that_was_stopped_ends_with_the_same_result(start: Start, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    assert list(start(whole, device="cpu"))
    _stop_after(start(parts, device="cpu", save_every=0), 1)
    _stop_after(start(parts, device="cpu", save_every=0, resume=True), 2)
    assert not parts.exists()
    for _ in start(parts, device="cpu", resume=True):
        pass
    assert _content(parts) == _content(whole)
    assert not (tmp_path / "parts.npz.work").exists()
    assert list(start(parts, device="cpu", resume=True)) == []  # there is nothing left to do


def test_a_run_in_short_sessions_ends_with_the_same_result(start: Start, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    assert list(start(whole, device="cpu"))
    sessions = 0
    while not parts.exists():
        events = list(start(parts, device="cpu", stop_after=0, resume=sessions > 0))
        assert isinstance(events[-1], HeldOut)
        sessions += 1
    assert sessions > 1
    assert _content(parts) == _content(whole)


def test_nothing_is_overwritten(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    _stop_after(start(out, device="cpu", save_every=0), 1)
    with pytest.raises(UsageError, match="add --resume"):
        list(start(out))
    with pytest.raises(CheckpointError, match="other settings"):
        list(start(out, seed=2, resume=True))
    list(start(out, resume=True))
    with pytest.raises(UsageError, match="already exists"):
        list(start(out))


def test_a_text_that_was_not_read_to_its_end_is_read_again(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    next(start(out))
    assert (tmp_path / "out.npz.work").exists()
    assert list(start(out, device="cpu"))
    assert out.exists()


def test_a_run_that_was_stopped_at_its_very_end_is_measured(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    events = list(start(out, device="cpu"))
    again = tmp_path / "again.npz"
    for event in start(again, device="cpu"):
        if isinstance(event, HeldOut) and event.done == 1:
            break
    assert list(start(again, device="cpu", resume=True)) == [events[-1]]
    assert _content(again) == _content(out)


def test_a_damaged_checkpoint_is_an_error(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    _stop_after(start(out, device="cpu", save_every=0), 1)
    checkpoint = tmp_path / "out.npz.work" / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    with pytest.raises(CheckpointError, match="not a complete checkpoint"):
        list(start(out, resume=True))


def test_a_process_that_is_killed_can_be_taken_up_again(tmp_path: Path) -> None:
    text = write_lines(tmp_path / "text.txt", two_worlds(2000))
    out = tmp_path / "model"
    command = [sys.executable, "-m", "innermost", "pretrain", "characters", str(text)]
    command += ["--hidden", "64", "--streams", "4", "--device", "cpu", "--out", str(out)]
    command += ["--learning-rate", "0.01", "--tokenizer", "whitespace"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([*command, "--save-every", "0"], env=environment)
    checkpoint = tmp_path / "model.work" / "checkpoint.safetensors"
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not out.exists()
    command += ["--resume", "--json"]
    ended = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert json.loads(ended.stdout)["bits_per_character"] < 2
    assert sorted(path.name for path in out.iterdir()) == ["chars.json", "model.safetensors"]


def test_vectors_from_the_command_line(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npz"
    options = ["--dimension", "4", "--min-count", "1", "--device", "cpu", "--json"]
    result = CliRunner().invoke(
        app, ["pretrain", "vectors", str(text), "--out", str(out), *options]
    )
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["loss"] > 0
    assert out.is_file()


def test_vectors_go_to_a_file_that_says_what_it_is(text: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.npz"):
        list(pretrain_vectors([text], tmp_path / "vectors.txt", VectorSettings()))


@pytest.mark.parametrize(
    ("path", "message"), [("missing.txt", "no such file"), (".", "is not a file")]
)
def test_files_that_cannot_be_read_are_named(tmp_path: Path, path: str, message: str) -> None:
    settings = VectorSettings()
    with pytest.raises(Exception, match=message):
        list(pretrain_vectors([tmp_path / path], tmp_path / "v.npz", settings))
    assert not (tmp_path / "v.npz.work").exists()


def test_a_run_in_progress_is_left_alone(start: Start, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    next(start(out))
    work = tmp_path / "out.npz.work"
    before = sorted(work.rglob("*"))
    with locked(work), pytest.raises(UsageError, match="in use by another process"):
        list(start(out))
    assert sorted(work.rglob("*")) == before
