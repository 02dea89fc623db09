"""Ending in order: a program that is told to stop removes its temporary files first."""

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
    """Within it, SIGTERM and SIGHUP end the program as an error would, with the usual exit code.

    By default they end it on the spot, and what was being written stays behind. A signal that is
    ignored, as ``nohup`` does, or that has a handler already is left alone.
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
