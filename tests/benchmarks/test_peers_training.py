"""Trained peers are kept, and not mistaken for others."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from benchmarks.peers import training
from benchmarks.peers.data import Material
from benchmarks.peers.systems import PEERS
from benchmarks.peers.training import Plan, trained

from innermost.errors import UsageError

PLAN = Plan(minutes=1, longest=8, transformer=None, threads=1)


def material(folder: Path, mark: str = "a") -> Material:
    return Material(folder, [], [], {"train": mark, "dev": "b", "test": "c"})


def test_a_peer_is_trained_once_for_the_same_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = []

    def ask(peer: object, request: dict[str, object], *rest: object) -> dict[str, object]:
        requests.append(request)
        return {"seconds": 90.0, "extent": "7 steps"}

    monkeypatch.setattr(training, "ask", ask)
    first = trained(PEERS["spancat"], material(tmp_path), PLAN, tmp_path)
    assert trained(PEERS["spancat"], material(tmp_path), PLAN, tmp_path) == first
    assert len(requests) == 1
    assert (requests[0]["longest"], first.minutes, first.extent) == (8, 1.5, "7 steps")
    with pytest.raises(UsageError, match=r"other data or settings(.|\n)*remove"):
        trained(PEERS["spancat"], material(tmp_path, "other"), PLAN, tmp_path)
    longer = msgspec.structs.replace(first, longest=9)
    (tmp_path / "spancat" / "trained.json").write_bytes(msgspec.json.encode(longer))
    with pytest.raises(UsageError, match="other data or settings"):
        trained(PEERS["spancat"], material(tmp_path), PLAN, tmp_path)


def test_a_peer_on_a_transformer_needs_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--transformer names none(.|\n)*--peers"):
        trained(PEERS["edsnlp"], material(tmp_path), PLAN, tmp_path)
