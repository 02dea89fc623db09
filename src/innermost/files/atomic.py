"""Writing a file so that nobody ever sees half of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_atomically(path: Path, data: bytes) -> None:
    """The file is there whole, or as it was before; a crash leaves nothing in between.

    A process that has mapped the old file keeps it.
    """
    with atomic_file(path) as file:
        file.write(data)


@contextmanager
def atomic_file(path: Path, *, folder: Path | None = None) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is complete; after an error it is gone.

    Until then it is in ``folder``, which is on the same disk: a process that is killed leaves it
    there. By default that is the folder of the file.
    """
    temporary = (folder or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
