"""Models in other processes: forked while a thread predicts, pickled, copied."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from innermost import forking
from innermost.runtime import load
from innermost.runtime.model import Model

TEXTS = ["the river bank of the north sea", "alpha gene of NF-kB"]
SECONDS = 60


@contextmanager
def _predicting(model: Model) -> Iterator[None]:
    """Threads that use the model all the time, with new words."""
    stopped = threading.Event()
    started = threading.Semaphore(0)

    def predict(number: int) -> None:
        count = 0
        while not stopped.is_set():
            model([f"the w{number}x{count + i} of the river" for i in range(64)])
            count += 64
            started.release()

    threads = [threading.Thread(target=predict, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for _ in threads:
        started.acquire()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def _child_succeeds(model: Model, expected: object) -> bool:
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)  # A child that hangs is killed.
        os._exit(0 if model(TEXTS) == expected else 3)
    return os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_child_predicts_though_a_thread_was_predicting(random_folder: Path, threads: int) -> None:
    model = load(random_folder, threads=threads)
    expected = model(TEXTS)
    with _predicting(model):
        assert all(_child_succeeds(model, expected) for _ in range(4))
    assert model(TEXTS) == expected


def test_what_was_locked_is_reset(random_folder: Path) -> None:
    """As in a child whose parent held the lock halfway, but deterministic and without a fork."""
    model = load(random_folder, threads=1)
    expected = model(TEXTS)
    features, session = model.pipeline.features, model.pipeline.encoder._for_one
    features._lock.acquire()
    features._row["half"] = 10**9
    session._running.add(-1)
    before = session._session
    forking._reset()
    assert "half" not in features._row
    assert session._session is not before
    assert model(TEXTS) == expected


def test_a_session_that_was_idle_is_kept(random_folder: Path) -> None:
    """So that its memory is shared with the parent."""
    model = load(random_folder, threads=1)
    before = model.pipeline.encoder._for_one._session
    forking._reset()
    assert model.pipeline.encoder._for_one._session is before


OPTIONS = {
    "threads": 1,
    "max_depth": 2,
    "min_score": {"X": 0.2},
    "types": ["X", "Z"],
    "sentences": False,
    "memory_map": True,
}


@pytest.mark.parametrize("how", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy, copy.copy])
def test_a_copy_gives_the_same_answers(how, random_folder: Path) -> None:
    model = load(random_folder, **OPTIONS)
    other = how(model)
    assert other is not model
    assert other(TEXTS) == model(TEXTS)
    assert other._options == model._options
    assert (other.types, other.max_depth, other.min_score) == (["X", "Z"], 2, {"X": 0.2})


def test_a_relative_folder_is_found_from_elsewhere(
    random_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(random_folder.parent)
    data = pickle.dumps(load(random_folder.name, threads=1))
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(data)(TEXTS)


def test_a_model_is_sent_to_another_process(random_folder: Path, tmp_path: Path) -> None:
    model = load(random_folder, threads=1)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    program = (
        "import pickle, sys; model = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([(e.start, e.end, e.label) for e in model(sys.argv[2]).entities])"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "model.pickle"), TEXTS[0]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    expected = [(e.start, e.end, e.label) for e in model(TEXTS[0]).entities]
    assert done.stdout.strip() == str(expected)


@pytest.mark.parametrize("change", [b"", b"\0"])
def test_files_may_be_overwritten_while_a_model_runs(
    change: bytes, random_folder: Path, tmp_path: Path
) -> None:
    """In place: truncating a mapped file kills the process, changing it changes the answers."""
    folder = tmp_path / "model"
    folder.mkdir()
    for path in random_folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    model, other = load(folder, threads=2), load(random_folder, threads=2)
    for path in folder.iterdir():
        path.write_bytes(change * path.stat().st_size)
    assert model(TEXTS) == other(TEXTS)
