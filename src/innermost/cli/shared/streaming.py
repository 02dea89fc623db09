"""Read a stream in runs of whatever has arrived, so that no item waits for later ones."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
MOST = 256
"""The most items in a run; as many again are read ahead."""


class _End:
    """The end of the stream, with the error that ended it, if any."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class Arriving(Generic[T]):
    """Reads a stream in a thread and yields it in runs.

    The first run has one or a few items; while they are processed, more arrive, so that a fast
    stream comes in large runs and a slow one item by item.
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._items = items
        self._arrived: SimpleQueue[T | _End] = SimpleQueue()
        self._room = threading.Semaphore(2 * MOST)
        self.stopped = False
        """Whether the stream was stopped before its end."""

    def stop(self) -> None:
        """End the runs now. May be called from a signal handler."""
        self.stopped = True
        self._arrived.put(_End())

    def __iter__(self) -> Iterator[list[T]]:
        threading.Thread(target=self._read, daemon=True).start()
        end: _End | None = None
        while end is None:
            run, end = self._next_run()
            if run and not self.stopped:
                yield run
        if end.error is not None and not self.stopped:
            raise end.error

    def _next_run(self) -> tuple[list[T], _End | None]:
        run: list[T] = []
        item = self._arrived.get()
        while not isinstance(item, _End):
            self._room.release()
            run.append(item)
            if len(run) == MOST:
                return run, None
            try:
                item = self._arrived.get_nowait()
            except Empty:
                return run, None
        return run, item

    def _read(self) -> None:
        try:
            for item in self._items:
                self._room.acquire()
                self._arrived.put(item)
        except BaseException as error:  # raised again by the reader
            self._arrived.put(_End(error))
        else:
            self._arrived.put(_End())


@contextmanager
def stopped_by_interrupt(stream: Arriving[Any]) -> Iterator[None]:
    """The first Ctrl-C stops reading; items already started are finished. A second one kills."""

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stream.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted_once() -> Iterator[None]:
    """The first Ctrl-C is a KeyboardInterrupt; further ones are ignored while the program ends.

    They would stop it from ending its processes, or print a traceback on the way out.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    before = None if is_ignored else signal.signal(signal.SIGINT, interrupt)
    yield
    if before is not None:
        signal.signal(signal.SIGINT, before)
