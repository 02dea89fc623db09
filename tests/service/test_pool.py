"""What a worker is told at its start, and workers that do not start."""

from __future__ import annotations

import asyncio
import errno
import io
import os
from typing import Any, ClassVar

import msgspec
import onnxruntime
import pytest

from innermost.model_folder.installed import installed
from innermost.runtime import onnx_session
from innermost.service.jobs import Ready, read_frame
from innermost.service.metrics import Metrics
from innermost.service.processes import pool as pool_module
from innermost.service.processes.batching import Queue
from innermost.service.processes.pool import Pool
from innermost.service.processes.worker import Assignment, serve
from innermost.service.schemas import ServedModel
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


class ReadyWorker:
    """Is ready at once, and keeps what it was sent."""

    pid = 1
    messages: ClassVar[list[Any]] = []

    def __init__(self) -> None:
        self.ended = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls) -> ReadyWorker:
        return cls()

    async def send(self, message: Any) -> None:
        self.messages.append(message)

    async def greeting(self) -> Ready:
        model = ServedModel(name="m", version="1", types=["X"], tokenizer="unicode", default=True)
        return Ready([model], ["it runs on the CPU"])

    async def kill(self) -> None:
        pass


def test_workers_get_the_device_and_warnings_are_logged_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool_module, "Worker", ReadyWorker)
    settings = Settings(models=(ModelSource("m", "nowhere"),), device="cuda", workers=2)

    async def run() -> None:
        pool = Pool(settings, Queue(100), Metrics())
        pool.start()
        while pool.ready < 2:
            await asyncio.sleep(0)
        await pool.stop()

    asyncio.run(run())
    assert [message.device for message in ReadyWorker.messages] == ["cuda"] * 2
    assert capsys.readouterr().err.count("it runs on the CPU") == 1


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_worker_uses_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the GPU is a pretended one; what cannot run on a GPU is reported."""
    available = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: available)
    monkeypatch.setattr(onnx_session, "check_provider", lambda session, device: None)
    answers = io.BytesIO()
    models = [ModelSource("genia", str(installed()["genia"]))]
    serve(Assignment(models, threads=1, device="cuda"), io.BytesIO(), answers)
    answers.seek(0)
    greeting = msgspec.msgpack.decode(read_frame(answers) or b"", type=Ready)
    (note,) = greeting.notes
    assert "quantized to int8, which runs on the CPU" in note
