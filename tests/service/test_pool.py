"""Workers that do not start."""

from __future__ import annotations

import asyncio
import errno
import os
from typing import Any

import pytest

from innermost.service.metrics import Metrics
from innermost.service.processes import pool as pool_module
from innermost.service.processes.batching import Queue
from innermost.service.processes.pool import Pool
from innermost.service.settings import ModelSource, Settings


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
def test_a_worker_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    """As any other worker that is lost: the service goes on with the others."""
    monkeypatch.setattr(pool_module, "_FIRST_PAUSE", 0.0)

    async def run() -> None:
        attempts = 0
        third = asyncio.Event()

        async def fail(*arguments: Any, **options: Any) -> None:
            nonlocal attempts
            attempts += 1
            if attempts == 3:
                third.set()
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(asyncio, "create_subprocess_exec", fail)
        metrics = Metrics()
        pool = Pool(Settings(models=(ModelSource("m", "nowhere"),)), Queue(100), metrics)
        pool.start()
        failure = asyncio.ensure_future(pool.failure())
        retried = asyncio.ensure_future(third.wait())
        await asyncio.wait([failure, retried], return_when=asyncio.FIRST_COMPLETED)
        assert not failure.done()
        assert metrics.worker_restarts.value() >= 2
        failure.cancel()
        await pool.stop()

    asyncio.run(run())
    assert f"it did not start: {os.strerror(number)}" in capsys.readouterr().err
