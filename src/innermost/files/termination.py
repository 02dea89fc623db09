"""Clean termination: a program that is asked to stop removes its temporary files first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def clean_termination() -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the program like an error, with the usual exit code.

    By default they end it immediately and leave partial output behind. A signal that is ignored,
    as with ``nohup``, or already has a handler is left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    own = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in own:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in own:
            if signal.getsignal(number) is _end:
                signal.signal(number, signal.SIG_DFL)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
