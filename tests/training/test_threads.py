"""The number of threads of training, where other programs are busy and where they are not."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

from helpers.cli import ok  # noqa: E402
from helpers.small_training import arguments  # noqa: E402
from innermost.training import threads  # noqa: E402
from innermost.training.records.checkpoint import saved_threads  # noqa: E402
from innermost.training.threads import busy_programs, use_threads  # noqa: E402


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """Two cores and two threads, while four other programs are running."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    running = tmp_path / "loadavg"
    running.write_text("7.50 1.00 1.00 5/512 12345\n")
    monkeypatch.setattr(threads, "_RUNNING", running)
    monkeypatch.setattr(threads, "_INTERVAL", 0)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (7.5, 1.0, 1.0))
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    busy_programs.cache_clear()
    yield monkeypatch
    busy_programs.cache_clear()
    torch.set_num_threads(before)


def test_one_thread_on_a_busy_machine(busy: pytest.MonkeyPatch) -> None:
    note = use_threads(0)
    assert torch.get_num_threads() == 1
    assert note is not None
    assert "load 7.5 on 2 cores" in note
    assert "training uses 1 thread" in note
    assert "training.threads=2" in note
    assert use_threads(0) is None


@pytest.mark.parametrize("by_environment", [False, True])
def test_a_chosen_number_is_kept_and_noted(busy: pytest.MonkeyPatch, by_environment: bool) -> None:
    if by_environment:
        busy.setenv("OMP_NUM_THREADS", "2")
    note = use_threads(0 if by_environment else 2)
    assert torch.get_num_threads() == 2
    assert note is not None
    assert "training.threads=1" in note
    assert use_threads(1) is None
    assert torch.get_num_threads() == 1


def test_all_threads_where_they_do_not_wait(busy: pytest.MonkeyPatch) -> None:
    def is_undisturbed() -> bool:
        busy_programs.cache_clear()
        return use_threads(0) is None and torch.get_num_threads() == 2

    with busy.context() as change:
        change.setenv("OMP_WAIT_POLICY", "PASSIVE")
        assert is_undisturbed()
    with busy.context() as change:
        change.setattr(os, "getloadavg", lambda: (0.9, 7.0, 7.0))
        assert is_undisturbed()
    with busy.context() as change:
        change.delattr(os, "getloadavg")
        assert is_undisturbed()
    # What was running a minute ago has ended: only this process is left.
    threads._RUNNING.write_text("7.50 1.00 1.00 1/512 12345\n")
    assert is_undisturbed()
    busy.setattr(threads, "_RUNNING", Path("nowhere"))
    assert not is_undisturbed()


def test_the_load_is_that_before_training(busy: pytest.MonkeyPatch) -> None:
    busy.setattr(os, "getloadavg", lambda: (0.1, 0.1, 0.1))
    assert use_threads(0) is None
    busy.setattr(os, "getloadavg", lambda: (2.0, 0.1, 0.1))
    assert use_threads(0) is None
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize(("given", "used"), [(0, 1), (2, 2)])
def test_the_note_is_shown_once_for_all_folds(
    busy: pytest.MonkeyPatch, toy_corpus_file: Path, tmp_path: Path, given: int, used: int
) -> None:
    sizes = arguments(training__epochs=8, training__evaluate_every=4, training__threads=given)
    out = tmp_path / "out"
    done = ok("train", "--train", toy_corpus_file, "--folds", 2, "--out", out, *sizes, "--json")
    assert done.err.count("note: other programs are busy") == 1
    hardware = {result["environment"]["hardware"] for result in done.json["folds"]["results"]}
    assert all(f"{used} of 2 cores" in text for text in hardware)


def test_a_resumed_run_keeps_its_number(
    busy: pytest.MonkeyPatch, toy_corpus_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    data = ("train", "--train", toy_corpus_file, "--dev", toy_corpus_file, "--out", out)
    ok(*data, *arguments(training__epochs=8, training__threads=2))
    assert saved_threads(out / "checkpoint.safetensors") == 2
    (out / "result.json").unlink()
    torch.set_num_threads(1)
    done = ok(*data, *arguments(training__epochs=8, training__threads=0), "--resume")
    assert torch.get_num_threads() == 2
    assert "training.threads=1" in done.err
    (out / "result.json").unlink()
    ok(*data, *arguments(training__epochs=8, training__threads=1), "--resume")
    assert torch.get_num_threads() == 1
