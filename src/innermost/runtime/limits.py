"""Limits on the time and memory of an untrusted graph."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from innermost.errors import ResourceError

_STATUS = Path("/proc/self/statm")
_PAGE = 4_096
_BETWEEN_LOOKS = 0.02
"""In seconds."""


class Limits:
    """The outcome: ``exceeded`` says which limit was exceeded, if any."""

    def __init__(self, seconds: float, memory: int | None) -> None:
        self.exceeded = ""
        self._seconds, self._memory = seconds, memory
        self._end = time.monotonic() + seconds
        self._before = _memory_in_use()

    def look(self) -> bool:
        if time.monotonic() > self._end:
            self.exceeded = f"it takes longer than {self._seconds:g} seconds"
        elif self._memory is not None and _memory_in_use() - self._before > self._memory:
            self.exceeded = f"it takes more than {self._memory / 1e9:.1f} GB of memory"
        return bool(self.exceeded)


@contextmanager
def limited(
    stop: Callable[[], None], seconds: float, memory: int | None = None
) -> Iterator[Limits]:
    """Call ``stop`` once, from another thread, when time or memory (bytes, Linux only) runs out."""
    limits = Limits(seconds, memory)
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_BETWEEN_LOOKS):
            if limits.look():
                stop()
                return

    watcher = threading.Thread(target=watch, name="innermost-limits", daemon=True)
    try:
        watcher.start()
    except RuntimeError as error:
        raise ResourceError(
            f"the system refuses a further thread: {error}",
            hint="close other programs, or raise the limit of memory or processes (ulimit)",
        ) from None
    try:
        yield limits
    finally:
        done.set()
        watcher.join()


def _memory_in_use() -> int:
    try:
        return int(_STATUS.read_text(encoding="utf-8").split()[1]) * _PAGE
    except OSError:
        return 0
