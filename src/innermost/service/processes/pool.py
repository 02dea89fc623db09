"""The worker processes: started, fed with batches, and replaced when they die."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from innermost.errors import ModelError
from innermost.service import logs
from innermost.service.errors import InternalError
from innermost.service.jobs import HEADER, Answers, Failed, Greeting, Ready, frame
from innermost.service.metrics import Metrics
from innermost.service.processes.batching import Queue, Ticket
from innermost.service.processes.worker import Assignment
from innermost.service.schemas import ServedModel
from innermost.service.settings import Settings

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
_STARTING = 300.0
_SMOOTHING = 0.1
_DELIVERY = 8
"""The number of answers handed out at once."""


class WorkerLostError(Exception):
    """A worker process did not start, ended, or did not answer in time."""


class Pool:
    """``settings.workers`` processes that take batches from a queue."""

    def __init__(self, settings: Settings, queue: Queue, metrics: Metrics) -> None:
        self.models: dict[str, ServedModel] = {}
        """Models by name, the default first; empty until the first worker is warm."""
        self.tokens_per_second = 10_000.0
        """The smoothed speed of all workers together."""
        self._settings = settings
        self._queue = queue
        self._metrics = metrics
        self._ready = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._deliveries: set[asyncio.Task[None]] = set()

    @property
    def ready(self) -> int:
        """Workers with warm models."""
        return self._ready

    def start(self) -> None:
        self._tasks = [
            asyncio.get_running_loop().create_task(self._keep_alive(number))
            for number in range(self._settings.workers)
        ]

    async def failure(self) -> BaseException | None:
        """Wait until the pool ends; return the error that ended it, if any."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        return next((e for task in done if (e := task.exception()) is not None), None)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep_alive(self, number: int) -> None:
        """Run one worker after another. A model that fails to load at startup ends the service."""
        pause = _FIRST_PAUSE
        while True:
            worker: Worker | None = None
            began = time.monotonic()
            try:
                worker = await Worker.start()
                await self._serve(worker, number)
            except (ModelError, WorkerLostError) as error:
                if isinstance(error, ModelError) and not self.models:
                    raise
                pid = worker and worker.pid
                logs.warning("worker lost", worker=number, pid=pid, reason=str(error))
                self._metrics.worker_restarts.add()
            finally:
                if worker is not None:
                    await worker.kill()
            lived = time.monotonic() - began
            pause = _FIRST_PAUSE if lived > _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)

    async def _serve(self, worker: Worker, number: int) -> None:
        settings = self._settings
        await worker.send(Assignment(list(settings.models), settings.threads, settings.device))
        greeting = await worker.greeting()
        if isinstance(greeting, Failed):
            raise ModelError(greeting.error)
        if not self.models:
            self.models = {model.name: model for model in greeting.models}
            for note in greeting.notes:
                logs.warning("model loaded", note=note)
        logs.info("worker ready", worker=number, pid=worker.pid)
        self._ready += 1
        try:
            while True:
                await self._run(worker, await self._next_batch(worker))
        finally:
            self._ready -= 1

    async def _next_batch(self, worker: Worker) -> list[Ticket]:
        """What the worker does next; an error as soon as it ends while there is nothing to do."""
        waiting = asyncio.ensure_future(self._queue.batch())
        try:
            await asyncio.wait([waiting, worker.ended], return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                raise WorkerLostError("it ended")
            return waiting.result()
        finally:
            waiting.cancel()

    async def _run(self, worker: Worker, tickets: list[Ticket]) -> None:
        began = time.perf_counter()
        try:
            await worker.send([ticket.job for ticket in tickets])
            answers = await worker.answers(self._settings.stall_timeout)
        except WorkerLostError:
            self._queue.give_back(tickets)
            raise
        self._count(tickets, answers, time.perf_counter() - began)
        # In a separate task, so that the worker can already take its next batch.
        delivery = asyncio.get_running_loop().create_task(self._deliver(tickets, answers))
        self._deliveries.add(delivery)
        delivery.add_done_callback(self._deliveries.discard)

    async def _deliver(self, tickets: Sequence[Ticket], answers: Answers) -> None:
        """Hand out answers a few at a time, so that new requests are handled in between."""
        pairs = zip(tickets, answers.answers, strict=True)
        for number, (ticket, answer) in enumerate(pairs, start=1):
            if answer.problem is None:
                ticket.extraction.answer(ticket.index, answer.document, answer.tokens)
            else:
                logs.warning("prediction failed", exception=answer.problem)
                self._queue.abandon(ticket.extraction, InternalError())
            if number % _DELIVERY == 0:
                await asyncio.sleep(0)

    def _count(self, tickets: Sequence[Ticket], answers: Answers, seconds: float) -> None:
        metrics = self._metrics
        texts = [(len(t.job.text), a.tokens) for t, a in zip(tickets, answers.answers, strict=True)
                 if t.job.text is not None]  # fmt: skip
        self._queue.estimate.learn(sum(n for n, _ in texts), sum(n for _, n in texts))
        speed = self._ready * answers.tokens / seconds
        self.tokens_per_second += _SMOOTHING * (speed - self.tokens_per_second)
        metrics.batch_sentences.observe(answers.sentences)
        metrics.batch_tokens.observe(answers.tokens)
        metrics.tokens.add(answers.tokens)
        metrics.characters.add(sum(n for n, _ in texts))
        for stage, value in answers.stages.items():
            metrics.stage_seconds.observe(value, stage=stage)


class Worker:
    """One worker process and its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a worker needs pipes")
        self.pid = process.pid
        self._process = process
        self.ended = asyncio.ensure_future(process.wait())
        self._jobs, self._answers = process.stdin, process.stdout
        self._greeting = msgspec.msgpack.Decoder(Greeting)
        self._decoder = msgspec.msgpack.Decoder(Answers)

    @classmethod
    async def start(cls) -> Worker:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "innermost.service.processes.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        except OSError as error:  # likely right after a worker has exhausted the memory
            raise WorkerLostError(f"it did not start: {error.strerror or error}") from None
        return cls(process)

    async def send(self, message: object) -> None:
        content = frame(message)
        try:
            self._jobs.write(content)
            await self._jobs.drain()
        except (OSError, RuntimeError):  # the latter from uvloop, for a pipe that is closed
            raise WorkerLostError("it closed its pipe") from None

    async def greeting(self) -> Ready | Failed:
        greeting: Ready | Failed = self._greeting.decode(await self._receive(_STARTING))
        return greeting

    async def answers(self, timeout: float) -> Answers:
        return self._decoder.decode(await self._receive(timeout))

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _receive(self, timeout: float) -> bytes:
        try:
            return await asyncio.wait_for(self._read_frame(), timeout)
        except asyncio.TimeoutError:
            raise WorkerLostError(f"it did not answer within {timeout:.0f} s") from None
        except (asyncio.IncompleteReadError, OSError):
            raise WorkerLostError("it ended") from None

    async def _read_frame(self) -> bytes:
        (length,) = HEADER.unpack(await self._answers.readexactly(HEADER.size))
        return await self._answers.readexactly(length)
