"""One server for all tests that do not change its state."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helpers.running_server import RunningServer, running

pytest.importorskip("uvicorn", reason="the service needs the extra 'serve'")

MAX_BODY = 300_000


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    log = tmp_path_factory.mktemp("service") / "log.jsonl"
    options = ["--model", "genia", "--model", "litbank", "--label-studio", "--workers", "1"]
    limits = ["--max-body", str(MAX_BODY), "--max-texts", "50", "--drain", "0"]
    with running(log, *options, *limits) as server:
        yield server
