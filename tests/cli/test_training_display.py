"""What training says before it starts."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch", reason="training needs torch")

from innermost.cli.shared.training_display import busy_note  # noqa: E402


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(os, "getloadavg", lambda: (7.5, 1.0, 1.0))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    return monkeypatch


def test_threads_on_a_busy_machine_are_noted(busy: pytest.MonkeyPatch) -> None:
    note = busy_note()
    assert note is not None
    assert "load 7.5 on 2 cores" in note
    assert "training.threads=1" in note


def test_there_is_no_note_where_it_would_not_help(busy: pytest.MonkeyPatch) -> None:
    with busy.context() as change:
        change.setattr(torch, "get_num_threads", lambda: 1)
        assert busy_note() is None
    with busy.context() as change:
        change.setenv("OMP_WAIT_POLICY", "PASSIVE")
        assert busy_note() is None
    busy.setattr(os, "getloadavg", lambda: (0.9, 7.0, 7.0))
    assert busy_note() is None
