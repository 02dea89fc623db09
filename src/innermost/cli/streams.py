"""Standard streams that can be relied on, whatever started the program."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import NoReturn

from innermost.errors import OutputError


def prepare_streams() -> None:
    """Make output UTF-8 unless it goes to a terminal, and replace closed streams.

    A file or another program gets the same bytes in every locale, and names of files as they are
    on disk. A terminal shows a question mark for what it cannot. Standard input may stay None.
    """
    _occupy_closed_descriptors()
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), encoding="utf-8")
    elif isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="replace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8", newline="")  # noqa: PTH123, SIM115


def leave(code: int) -> NoReturn:
    """Exit immediately, without waiting for threads or for the end of the interpreter."""
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _occupy_closed_descriptors() -> None:
    """Keep files that are opened later from becoming standard input or output by accident."""
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= 2:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)


class _Closed(io.RawIOBase):
    """Standard output that the caller has closed: the first write is an error."""

    _is_reported = False

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        if not self._is_reported:
            self._is_reported = True
            raise OutputError("standard output is closed", hint="name a file with --output")
        return memoryview(data).nbytes  # type: ignore[arg-type]
