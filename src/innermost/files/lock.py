"""Lock a folder for one process. The lock ends with the process, however it ends."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from innermost.errors import OutputError, UsageError

LOCK = ".lock"
"""Stays in the folder: removing it could break the lock of a process that just took it."""

_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)
"""What locking a file fails with if another process holds the lock."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock ``folder``, or raise a :class:`UsageError` if another process does."""
    with (folder / LOCK).open("a+b") as file:
        try:
            _lock(file)
        except OSError as error:
            if error.errno not in _HELD:
                raise OutputError(
                    f"{folder} cannot be locked: {error.strerror or error}",
                    hint="choose a folder on a disk whose files can be locked",
                ) from error
            raise UsageError(
                f"{folder} is in use by another process",
                hint="wait until it has finished, or choose another folder",
            ) from None
        yield


def is_locked(folder: Path) -> bool:
    """Whether another process holds the lock of ``folder``; nothing is created there."""
    try:
        file = (folder / LOCK).open("rb")
    except OSError:
        return False
    with file:
        try:
            _lock(file)
        except OSError as error:
            return error.errno in _HELD
    return False


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
