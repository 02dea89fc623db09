"""Training in several processes: the result of one process, from two that share every batch."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import helpers
from helpers.cli import COMMAND, innermost
from helpers.small_training import arguments
from helpers.toy_corpus import bracketed, toy_sentences
from innermost import corpus
from innermost.errors import UsageError
from innermost.training import world

TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
LIMIT = 60
"""Seconds until a process that lost another one must have ended."""
PATIENCE = 300
"""Seconds for everything else, on a busy machine."""
SETTINGS = arguments(
    encoder__dropout=0,
    encoder__recurrent_dropout=0,
    encoder__word_dropout=0,
    training__batch_tokens=60,
    training__learning_rate=0.04,
    training__epochs=40,
    training__patience=2,
    training__average=0.5,
)
COMPARED_EPOCHS = 3
"""More than 20 steps: the data has over 600 tokens, a batch at most 60. Later on, the differences
of rounding grow."""
OPTIONS = [*SETTINGS, "--seeds", "1,2"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """One file annotates all types, one only places; one sentence fills a batch by itself."""
    folder = tmp_path_factory.mktemp("data")
    long = " and ".join(["nobody in [PLACE Oslo ]"] * 45)
    corpus.write(toy_sentences(), folder / "all.jsonl", format="native")
    corpus.write([bracketed(long), *toy_sentences()[:6]], folder / "places.jsonl", format="native")
    return [
        *("--train", str(folder / "all.jsonl"), "--train", str(folder / "places.jsonl")),
        *("--annotates", "PLACE", "--dev", str(folder / "all.jsonl")),
    ]


def started(*commands: list[str]) -> list[subprocess.Popen[str]]:
    """Processes with the variables of torchrun, but without anyone who watches over them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    size = str(len(commands))
    shared = {"WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size, "MASTER_PORT": str(port)}
    shared |= {"MASTER_ADDR": "127.0.0.1", "OMP_NUM_THREADS": "1"}
    return [
        subprocess.Popen(
            command,
            env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank, command in enumerate(commands)
    ]


def training(data: list[str], out: Path) -> list[str]:
    return [*COMMAND, "train", *data, "--out", str(out), *OPTIONS]


@pytest.fixture(scope="module")
def two(data, tmp_path_factory):
    """The output of two processes, and what the second would have written and printed."""
    folder = tmp_path_factory.mktemp("two")
    main, other = started(training(data, folder / "out"), training(data, folder / "unused"))
    out, err = main.communicate(timeout=PATIENCE)
    assert main.returncode == 0, err
    return folder / "out", out, err, folder / "unused", "".join(other.communicate(timeout=PATIENCE))


@pytest.fixture(scope="module")
def one(data, tmp_path_factory):
    """The output of a single process."""
    out = tmp_path_factory.mktemp("one")
    done = innermost("train", *data, "--out", out, *OPTIONS)
    assert done.code == 0, done.err
    return out


def log(out: Path, seed: int) -> list[dict[str, object]]:
    lines = (out / f"seed-{seed}" / "log.jsonl").read_text().splitlines()
    timed = ("seconds", "tokens_per_second")
    return [{k: v for k, v in json.loads(line).items() if k not in timed} for line in lines]


def losses(out: Path, seed: int) -> list[object]:
    return [line["loss"] for line in log(out, seed)][:COMPARED_EPOCHS]


def test_two_processes_equal_one(one, two):
    for seed in (1, 2):
        assert losses(two[0], seed) == pytest.approx(losses(one, seed), abs=1e-5)
        files = [out / f"seed-{seed}" / "result.json" for out in (one, two[0])]
        single, double = (json.loads(file.read_text()) for file in files)
        assert single["left_out"] == double["left_out"]
        assert double["stopped"] == "patience"  # in both, or they would wait for each other
        assert double["environment"]["hardware"].startswith("2 processes, each on ")


def test_only_the_main_process_writes_and_prints(one, two):
    out, printed, shown, unused, of_the_other = two
    assert not unused.exists()
    assert of_the_other == ""
    assert printed.count("written to") == 1
    assert shown.count("seed 1 epoch 1/") == 1
    names = [{p.relative_to(o) for p in o.rglob("*")} for o in (one, out)]
    assert names[0] == names[1]


def test_a_killed_process_ends_the_others_and_all_resume(data, one, two, tmp_path):
    out = tmp_path / "out"
    main, other = started(training(data, out), training(data, out))
    lines = out / "seed-1" / "log.jsonl"
    deadline = time.monotonic() + PATIENCE
    while not (lines.exists() and lines.read_text().count("\n") >= 2):
        assert time.monotonic() < deadline, "no epoch was finished"
        time.sleep(0.005)
    other.send_signal(signal.SIGKILL)
    _, err = main.communicate(timeout=LIMIT)
    other.communicate()
    assert main.returncode == 1, err
    assert "the connection to another process of this training failed" in err
    assert "--resume" in err
    assert "Traceback" not in err
    shutil.copytree(out, tmp_path / "by-one")

    command = [*TORCHRUN, "-m", "innermost", "train", *data, *OPTIONS, "--resume", "--out", out]
    resumed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert resumed.returncode == 0, resumed.stderr
    for seed in (1, 2):
        for name in ("model/weights.safetensors", "checkpoint.safetensors"):
            expected = (two[0] / f"seed-{seed}" / name).read_bytes()
            assert (out / f"seed-{seed}" / name).read_bytes() == expected
        assert log(out, seed) == log(two[0], seed)

    by_one = innermost("train", *data, "--out", tmp_path / "by-one", *OPTIONS, "--resume")
    assert by_one.code == 0, by_one.err
    assert losses(tmp_path / "by-one", 1) == pytest.approx(losses(one, 1), abs=1e-5)


def test_gradients_are_summed_and_unused_parameters_have_none():
    script = Path(helpers.__file__).with_name("world_member.py")
    processes = started(*[[sys.executable, str(script)]] * 2)
    outputs = [process.communicate(timeout=PATIENCE) for process in processes]
    for out, err in outputs:
        assert out, err
        total, sums, agreed = json.loads(out)
        # The shares are [5, 9] and [7]; four ones each, and 3 of process 1.
        assert total == 4 * (5 + 9 + 7) + 4 * 3
        assert sums == [[[21, 21]] * 2, [[3, 3]] * 2, None]
        assert agreed == {"from": 0}


@pytest.fixture
def of_two(monkeypatch):
    """This process as one of two that torchrun has started."""
    values = {"WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "RANK": 0, "LOCAL_RANK": 0}
    values |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 1}
    for name, value in values.items():
        monkeypatch.setenv(name, str(value))


@pytest.mark.parametrize("option", [["--folds", "3"], ["--curve"]])
def test_several_models_at_once_are_refused(of_two, data, tmp_path, option):
    files = data[: data.index("--dev")] if "--folds" in option else data
    done = innermost("train", *files, "--out", tmp_path / "out", *option)
    assert done.code == 2
    assert f"{option[0]} in 2 processes" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("device", "message"), [("auto", "2 processes, but 1 GPU\n"), ("cuda:0", "one GPU for 2")]
)
def test_every_process_needs_its_own_gpu(of_two, monkeypatch, device, message):
    monkeypatch.setattr(world, "choose_device", lambda name: torch.device("cuda"))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(UsageError, match=message), world.open_world(device):
        pass


def test_an_incomplete_environment_is_explained(of_two, monkeypatch):
    monkeypatch.delenv("LOCAL_RANK")
    with pytest.raises(UsageError, match="LOCAL_RANK is not set"), world.open_world("cpu"):
        pass
