"""Turn blocks into parts, in this process or in several that share the model's memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from types import FrameType

from innermost.bulk.parts import PartNote
from innermost.bulk.worker import Task, Worker
from innermost.errors import ResourceError

_AHEAD = 2
"""Blocks queued per process, so that no process is idle."""
_ATTEMPTS = 3
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_worker: Worker | None = None


def completed(tasks: Iterable[Task], worker: Worker, jobs: int) -> Iterator[tuple[Task, PartNote]]:
    """Each task when its part is written, in any order.

    If a process dies, its blocks are given to another, up to three times.
    """
    if jobs == 1:
        for task in tasks:
            yield task, worker(task)
        return
    waiting, retries = iter(tasks), deque[Task]()
    attempts = 0
    while attempts < _ATTEMPTS:
        running: dict[Future[PartNote], Task] = {}
        try:
            with _thread_limits(worker.threads), _processes(worker, jobs) as executor:
                while True:
                    while len(running) < jobs * _AHEAD and (retries or _refill(retries, waiting)):
                        with _interrupts_later():
                            running[executor.submit(_run, retries[0])] = retries[0]
                        retries.popleft()
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        note = future.result()
                        attempts = 0
                        yield running.pop(future), note
        except BrokenProcessPool:
            attempts += 1
            retries.extendleft(running.values())
    places = "; ".join(f"{task.shard.path}, {task.block.place()}" for task in retries)
    raise ResourceError(
        f"a process was killed {_ATTEMPTS} times, probably for lack of memory, at one of: {places}",
        hint="use fewer --jobs or a smaller --max-row-bytes; --resume continues from here",
    )


def _refill(retries: deque[Task], waiting: Iterator[Task]) -> bool:
    """Whether there was another task to put into the empty queue."""
    retries.extend(islice(waiting, 1))
    return bool(retries)


@contextmanager
def _processes(worker: Worker, jobs: int) -> Iterator[ProcessPoolExecutor]:
    others = multiprocessing.active_children()
    executor = ProcessPoolExecutor(
        jobs,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
        initargs=(worker,),
    )
    try:
        yield executor
    except BaseException:
        # No part is under its final name before it is complete, so a process can end at any time.
        with _uninterrupted():
            for process in multiprocessing.active_children():
                if process not in others:
                    process.terminate()
            executor.shutdown(wait=True, cancel_futures=True)
        raise
    executor.shutdown(wait=True)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delay Ctrl-C: a process that is started halfway would end with a traceback.

    Processes and threads that are started here never see it. Another thread may still receive it,
    and Python would then interrupt this one, so the handler waits, too.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[tuple[int, FrameType | None]] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: arrived.append((number, frame)))
    try:
        with _masked():
            yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if arrived and callable(handler):
        handler(*arrived[0])


@contextmanager
def _masked() -> Iterator[None]:
    """Block SIGINT in this thread, and in what it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C: a second one would leave processes that the interpreter waits for."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _thread_limits(threads: int) -> Iterator[None]:
    """Set the variables that libraries read when a process starts."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _start(worker: Worker) -> None:
    global _worker
    _worker = worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started the run
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _run(task: Task) -> PartNote:
    if _worker is None:
        raise RuntimeError("the process was not started by a pool")
    return _worker(task)


def _end_with_parent() -> None:
    """Make sure that no process outlives a killed run."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
