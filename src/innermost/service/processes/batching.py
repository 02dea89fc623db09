"""The queue: jobs of all clients, handed out in batches within a token budget.

There is no waiting time: a free worker takes whatever is queued, up to the budget, so batches grow
with the load and a single request is never delayed. Requests take turns, one job each, so a client
with a thousand texts does not hold up a client with one.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence

from innermost.service.errors import WorkerDiedError
from innermost.service.jobs import Job

_CHARACTERS_PER_TOKEN = 5.0
_SMOOTHING = 0.05


class TokenEstimate:
    """Estimates the tokens of a text before it is tokenized, learned from earlier texts."""

    def __init__(self) -> None:
        self._characters_per_token = _CHARACTERS_PER_TOKEN

    def __call__(self, job: Job) -> int:
        if job.tokens is not None:
            return max(len(job.tokens), 1)
        return 1 + int(len(job.text or "") / self._characters_per_token)

    def learn(self, characters: int, tokens: int) -> None:
        if tokens and characters:
            observed = min(max(characters / tokens, 0.5), 50.0)
            self._characters_per_token += _SMOOTHING * (observed - self._characters_per_token)


class Extraction:
    """The jobs of one request, and their documents as they arrive."""

    def __init__(self, jobs: Sequence[Job], sizes: Sequence[int]) -> None:
        self.jobs = jobs
        self.sizes = sizes
        self.documents: list[bytes] = [b""] * len(jobs)
        self.tokens = 0
        self.future: asyncio.Future[list[bytes]] = asyncio.get_running_loop().create_future()
        self.created = time.perf_counter()
        self.waited = 0.0
        """Seconds until its last job was taken."""
        self._next = 0
        self._missing = len(jobs)
        if not jobs:
            self.future.set_result([])

    @property
    def open(self) -> bool:
        """Whether someone is still waiting for it."""
        return not self.future.done()

    @property
    def exhausted(self) -> bool:
        return self._next == len(self.jobs)

    @property
    def next_size(self) -> int:
        return self.sizes[self._next]

    @property
    def waiting(self) -> int:
        """Jobs that no worker has taken."""
        return len(self.jobs) - self._next if self.open else 0

    @property
    def waiting_tokens(self) -> int:
        return sum(self.sizes[self._next :])

    def take(self) -> Ticket:
        self._next += 1
        if self.exhausted:
            self.waited = time.perf_counter() - self.created
        return Ticket(self, self._next - 1)

    def answer(self, index: int, document: bytes, tokens: int) -> None:
        self.documents[index] = document
        self.tokens += tokens
        self._missing -= 1
        if not self._missing and self.open:
            self.future.set_result(self.documents)


class Ticket:
    """One job of an extraction, taken by a worker."""

    __slots__ = ("extraction", "index", "lost")

    def __init__(self, extraction: Extraction, index: int) -> None:
        self.extraction = extraction
        self.index = index
        self.lost = 0
        """Workers that died while processing it."""

    @property
    def job(self) -> Job:
        return self.extraction.jobs[self.index]

    @property
    def size(self) -> int:
        return self.extraction.sizes[self.index]


class Queue:
    """Extractions that take turns, and jobs returned from workers that died."""

    def __init__(self, budget: int) -> None:
        self.estimate = TokenEstimate()
        self.tokens = 0
        """Estimated tokens in the queue."""
        self._budget = budget
        self._turns: deque[Extraction] = deque()
        self._returned: deque[Ticket] = deque()
        self._filled = asyncio.Event()
        self._room = asyncio.Event()

    def __len__(self) -> int:
        """The number of queued jobs."""
        return sum(extraction.waiting for extraction in self._turns) + len(self._returned)

    def put(self, jobs: Sequence[Job]) -> Extraction:
        extraction = Extraction(jobs, [self.estimate(job) for job in jobs])
        if jobs:
            self.tokens += extraction.waiting_tokens
            self._turns.append(extraction)
            self._filled.set()
        return extraction

    def abandon(self, extraction: Extraction, reason: Exception) -> None:
        """Nobody waits for it anymore, or it cannot be finished: drop jobs not taken yet."""
        if extraction.open:
            self.tokens -= extraction.waiting_tokens
            extraction.future.set_exception(reason)
            self._room.set()

    def give_back(self, tickets: Sequence[Ticket]) -> None:
        """After the death of a worker, retry each of its jobs once, alone.

        The job that killed the worker then fails only its own extraction.
        """
        for ticket in tickets:
            ticket.lost += 1
            if ticket.lost > 1:
                error = WorkerDiedError("the worker died on this text, twice")
                self.abandon(ticket.extraction, error)
            else:
                self._returned.append(ticket)
                self.tokens += ticket.size
        self._filled.set()

    async def batch(self) -> list[Ticket]:
        """The next batch; waits only while the queue is empty."""
        while True:
            await self._filled.wait()
            if tickets := self._take():
                return tickets

    async def wait_for_room(self, limit: int) -> None:
        """Wait until fewer than ``limit`` tokens are queued."""
        while self.tokens >= limit:
            self._room.clear()
            await self._room.wait()

    def _take(self) -> list[Ticket]:
        tickets = self._take_returned() or self._take_turns()
        if not self._turns and not self._returned:
            self._filled.clear()
        self._room.set()
        return tickets

    def _take_returned(self) -> list[Ticket]:
        while self._returned:
            ticket = self._returned.popleft()
            self.tokens -= ticket.size
            if ticket.extraction.open:
                return [ticket]
        return []

    def _take_turns(self) -> list[Ticket]:
        tickets: list[Ticket] = []
        total = 0
        while self._turns:
            extraction = self._turns.popleft()
            if not extraction.open:
                continue
            if tickets and total + extraction.next_size > self._budget:
                self._turns.appendleft(extraction)
                break
            ticket = extraction.take()
            self.tokens -= ticket.size
            total += ticket.size
            tickets.append(ticket)
            if not extraction.exhausted:
                self._turns.append(extraction)
        return tickets
