"""The queue: budget, turns, disconnects, and jobs returned from dead workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.service.errors import ClientGone, WorkerDiedError
from innermost.service.jobs import Job
from innermost.service.processes.batching import Extraction, Queue, Ticket, TokenEstimate


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*arguments: Any, **options: Any) -> None:
        asyncio.run(test(*arguments, **options))

    return run


def job(name: str, size: int = 1) -> Job:
    """A job of exactly ``size`` tokens."""
    return Job(name, None, ["x"] * size, None, 0.0, None, "codepoint")


def names(tickets: list[Ticket]) -> list[str]:
    return [ticket.job.model for ticket in tickets]


def answer(tickets: list[Ticket]) -> None:
    for ticket in tickets:
        ticket.extraction.answer(ticket.index, ticket.job.model.encode(), 1)


@in_loop
async def test_a_batch_is_what_is_queued() -> None:
    queue = Queue(budget=100)
    for name in "abc":
        queue.put([job(name)])
    assert names(await queue.batch()) == ["a", "b", "c"]
    assert queue.tokens == 0


@in_loop
async def test_a_free_worker_waits_for_the_first_job_only() -> None:
    queue = Queue(budget=100)
    batch = asyncio.ensure_future(queue.batch())
    await asyncio.sleep(0)
    assert not batch.done()
    queue.put([job("a")])
    assert names(await batch) == ["a"]


@in_loop
async def test_clients_take_turns() -> None:
    queue = Queue(budget=3)
    queue.put([job(f"many{n}") for n in range(4)])
    queue.put([job("one")])
    assert names(await queue.batch()) == ["many0", "one", "many1"]
    assert names(await queue.batch()) == ["many2", "many3"]


@in_loop
async def test_a_job_over_the_budget_is_a_batch_of_its_own() -> None:
    queue = Queue(budget=10)
    for name, size in (("a", 4), ("huge", 50), ("b", 4)):
        queue.put([job(name, size)])
    assert [names(await queue.batch()) for _ in range(3)] == [["a"], ["huge"], ["b"]]


@in_loop
async def test_what_nobody_waits_for_is_dropped() -> None:
    queue = Queue(budget=100)
    gone = queue.put([job("gone", 30), job("gone", 30)])
    queue.put([job("here", 5)])
    queue.abandon(gone, ClientGone())
    assert (queue.tokens, len(queue)) == (5, 1)
    assert names(await queue.batch()) == ["here"]
    assert queue.tokens == 0
    with pytest.raises(ClientGone):
        await gone.future


@in_loop
async def test_jobs_of_a_dead_worker_are_tried_again_alone() -> None:
    queue = Queue(budget=100)
    first, poison = queue.put([job("first")]), queue.put([job("poison")])
    queue.give_back(await queue.batch())
    alone = [await queue.batch(), await queue.batch()]
    assert [names(batch) for batch in alone] == [["first"], ["poison"]]
    answer(alone[0])
    queue.give_back(alone[1])
    assert await first.future == [b"first"]
    with pytest.raises(WorkerDiedError):
        await poison.future
    assert len(queue) == queue.tokens == 0


@in_loop
async def test_room_is_waited_for() -> None:
    queue = Queue(budget=10)
    queue.put([job("a", 10)])
    queue.put([job("b", 10)])
    waiter = asyncio.ensure_future(queue.wait_for_room(10))
    await asyncio.sleep(0)
    await queue.batch()
    await asyncio.sleep(0)
    assert not waiter.done()
    await queue.batch()
    await waiter


def test_a_request_without_texts_is_done_at_once() -> None:
    @in_loop
    async def run() -> None:
        assert await Queue(budget=1).put([]).future == []

    run()


SIZES = st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=6), max_size=8)


@given(SIZES, st.integers(1, 20), st.sets(st.integers(0, 7)), st.integers(0, 3))
def test_every_job_once_in_batches_within_the_budget(
    requests: list[list[int]], budget: int, leaving: set[int], deaths: int
) -> None:
    """Clients that stay get all documents in order, whatever else happens."""

    @in_loop
    async def run() -> None:
        queue = Queue(budget)
        extractions: list[Extraction] = []
        for number, sizes in enumerate(requests):
            jobs = [job(f"{number}.{index}", size) for index, size in enumerate(sizes)]
            extractions.append(queue.put(jobs))
        for number in leaving & set(range(len(extractions))):
            queue.abandon(extractions[number], ClientGone())
        dead = 0
        while queue.tokens:
            tickets = await queue.batch()
            sizes = [ticket.size for ticket in tickets]
            assert sum(sizes) <= budget or len(sizes) == 1
            if dead < deaths and not any(ticket.lost for ticket in tickets):
                dead += 1
                queue.give_back(tickets)
            else:
                answer(tickets)
        for number, extraction in enumerate(extractions):
            if number in leaving:
                assert isinstance(extraction.future.exception(), ClientGone)
            else:
                expected = [f"{number}.{i}".encode() for i in range(len(requests[number]))]
                assert extraction.future.result() == expected
        assert len(queue) == 0

    run()


def test_the_estimate_learns_the_language() -> None:
    estimate = TokenEstimate()
    text = Job("m", "x" * 1000, None, None, 0.0, None, "codepoint")
    assert estimate(text) == 201
    for _ in range(200):
        estimate.learn(characters=1000, tokens=500)
    assert 480 <= estimate(text) <= 501
