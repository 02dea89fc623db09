"""The service without HTTP: admission, requests to jobs, jobs to documents."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from innermost.service.errors import (
    ClientGone,
    InvalidRequestError,
    OverloadedError,
    StartingError,
    TimedOutError,
    TooLargeError,
    UnknownModelError,
)
from innermost.service.jobs import Job
from innermost.service.metrics import Metrics
from innermost.service.processes.batching import Extraction, Queue
from innermost.service.processes.pool import Pool
from innermost.service.schemas import ExtractRequest, Options, ServedModel, StreamRequest
from innermost.service.settings import Settings

_LONGEST_RETRY = 60
Departure = Callable[[], Coroutine[Any, Any, None]]
"""Returns when a client has left."""


class Service:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.queue = Queue(settings.batch_tokens)
        self.pool = Pool(settings, self.queue, self.metrics)
        self.in_flight = 0
        self.draining = False
        self.closing = asyncio.Event()
        """Set when the port is closed: streams end."""
        gauge = self.metrics.gauge
        gauge("innermost_requests_in_flight", "Requests being read or answered.",
              lambda: self.in_flight)  # fmt: skip
        gauge("innermost_queue_length", "Texts waiting for a worker.", lambda: len(self.queue))
        gauge("innermost_queue_tokens", "Their estimated tokens.", lambda: self.queue.tokens)
        gauge("innermost_workers_ready", "Workers with warm models.", lambda: self.pool.ready)
        gauge("innermost_ready", "Whether /readyz answers 200.", lambda: self.ready)

    @property
    def ready(self) -> bool:
        return self.pool.ready > 0 and not self.draining

    @property
    def retry_after(self) -> int:
        """Seconds until the queue is empty at the current speed."""
        seconds = math.ceil(self.queue.tokens / max(self.pool.tokens_per_second, 1.0))
        return min(max(seconds, 1), _LONGEST_RETRY)

    @contextmanager
    def admission(self) -> Iterator[None]:
        """Admit a request, or refuse it before its body is read."""
        if not self.pool.models:
            raise StartingError
        if self.in_flight >= self.settings.max_requests:
            limit = self.settings.max_requests
            message = f"{limit} requests are in flight: try again later"
            raise OverloadedError(message, retry_after=self.retry_after, max_requests=limit)
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    def check_room(self) -> None:
        limit = self.settings.max_queue_tokens
        if self.queue.tokens >= limit:
            message = f"about {self.queue.tokens:,} tokens are queued: try again later"
            raise OverloadedError(message, retry_after=self.retry_after, max_queue_tokens=limit)

    def model(self, name: str | None) -> ServedModel:
        models = self.pool.models
        if name is None:
            return next(iter(models.values()))
        if name not in models:
            raise UnknownModelError(
                f"no model with this name is served; available: {', '.join(models)}",
                models=list(models),
            )
        return models[name]

    def jobs(self, request: ExtractRequest) -> tuple[ServedModel, list[Job]]:
        model = self.model(request.model)
        check_options(request, model)
        one = [request.text] if request.text is not None else None
        inputs = [list_ for list_ in (one, request.texts, request.tokens) if list_ is not None]
        if len(inputs) != 1:
            raise InvalidRequestError('send exactly one of "text", "texts" and "tokens"', at="$")
        if len(inputs[0]) > self.settings.max_texts:
            limit = self.settings.max_texts
            message = f"{len(inputs[0]):,} texts in one request, the limit is {limit:,}"
            raise TooLargeError(message, max_texts=limit)
        return model, [job(item, model, request) for item in inputs[0]]

    def line_job(self, line: StreamRequest) -> tuple[ServedModel, Job]:
        model = self.model(line.model)
        check_options(line, model)
        item = line.text if line.text is not None else line.tokens
        if item is None or (line.text is not None and line.tokens is not None):
            raise InvalidRequestError('send exactly one of "text" and "tokens"', at="$")
        return model, job(item, model, line)

    async def documents(self, jobs: list[Job], departure: Departure) -> list[bytes]:
        """The documents of a request. It is dropped if its client leaves or its time is up."""
        self.check_room()
        extraction = self.queue.put(jobs)
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self.settings.timeout, self.time_out, extraction)
        watch = loop.create_task(self._watch(departure, extraction))
        try:
            documents = await extraction.future
        finally:
            timer.cancel()
            watch.cancel()
        self.metrics.queue_seconds.observe(extraction.waited)
        return documents

    def time_out(self, extraction: Extraction) -> None:
        message = f"no response within {self.settings.timeout:g} s"
        self.queue.abandon(extraction, TimedOutError(message, retry_after=self.retry_after))

    async def _watch(self, departure: Departure, extraction: Extraction) -> None:
        await departure()
        self.queue.abandon(extraction, ClientGone())


def check_options(options: Options, model: ServedModel) -> None:
    named = set(options.types or ())
    if isinstance(options.min_score, dict):
        named |= options.min_score.keys()
    if unknown := sorted(named - set(model.types)):
        raise InvalidRequestError(
            f"the model {model.name} has no type {unknown[0]!r}; it has: {', '.join(model.types)}",
            at="$.types" if unknown[0] in (options.types or ()) else "$.min_score",
            unknown=unknown,
            types=model.types,
        )


def job(item: str | list[str], model: ServedModel, options: Options) -> Job:
    return Job(
        model=model.name,
        text=item if isinstance(item, str) else None,
        tokens=None if isinstance(item, str) else item,
        types=options.types,
        min_score=options.min_score,
        max_depth=None if options.max_depth is None else int(options.max_depth),
        offsets=options.offsets,
    )
