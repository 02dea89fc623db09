"""Writing files and folders so that nobody ever sees half of one.

What is written has a temporary name in the same folder until it is complete. An error removes it;
a process that is killed leaves it, and the next one that writes there removes it.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from innermost.errors import OutputError, UsageError

_HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:6]
_TEMPORARY = re.compile(r"\.innermost-([0-9a-f]{6})-([0-9]{1,9})-[0-9a-f]{8}")
_STALE_SECONDS = 600
"""A process of another container may have the same host name and a number that looks dead here."""
_HINTS = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EROFS: "choose a place that can be written to",
    errno.EACCES: "choose a place that you may write to",
    errno.EPERM: "choose a place that you may write to",
}

_cleaned: set[Path] = set()


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
    there. By default that is the folder of the file. Links are written through, and a file that is
    replaced keeps its permissions.
    """
    with atomic_path(path, folder=folder) as temporary, _Writer(temporary, path) as file:
        yield file


@contextmanager
def atomic_path(path: Path, *, folder: Path | None = None) -> Iterator[Path]:
    """The same for what writes to a file by its name: the temporary name."""
    with errors_of_writing(path):
        target = path.resolve()
        mode = target.stat().st_mode & 0o777 if target.is_file() else None
    temporary = _temporary_name(folder or target.parent, path)
    try:
        yield temporary
        with errors_of_writing(path):
            if mode is not None:
                temporary.chmod(mode)
            _synchronize(temporary)
            temporary.replace(target)
            _synchronize(target.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A new folder that gets its name when it is complete; ``path`` may be an empty folder."""
    with errors_of_writing(path):
        target = path.resolve()
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise UsageError(
                f"{path} exists and is not empty", hint="give the name of a new folder"
            )
    temporary = _temporary_name(target.parent, path)
    try:
        with errors_of_writing(path):
            temporary.mkdir()
            yield temporary
            if target.is_dir():
                target.rmdir()
            temporary.replace(target)
            _synchronize(target.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """A folder for what waits to be moved to its place; it is removed at the end."""
    temporary = _temporary_name(parent, parent)
    try:
        with errors_of_writing(parent):
            temporary.mkdir()
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def errors_of_writing(path: str | Path) -> Iterator[None]:
    """What the system refuses becomes an error that names the file and says what to do."""
    try:
        yield
    except OSError as error:
        raise _cannot_write(path, error) from error


def refuse_input_as_output(output: str | Path, *inputs: str | Path) -> None:
    """Refuse to write over what is being read."""
    for source in inputs:
        with suppress(OSError):
            if Path(source).samefile(output):
                raise UsageError(f"{output} is the input", hint="give the output another name")


def _cannot_write(path: str | Path, error: OSError) -> OutputError:
    hint = _HINTS.get(error.errno) if error.errno is not None else None
    return OutputError(f"{path} cannot be written: {error.strerror or error}", hint=hint)


class _Writer(io.BufferedWriter):
    """A new file; what cannot be written is an error that names the file it is going to be."""

    def __init__(self, temporary: Path, target: Path) -> None:
        with errors_of_writing(target):
            raw = _File(temporary, "xb")
        raw.target = target
        super().__init__(raw)

    def close(self) -> None:
        # After an error there may be more to write than there is room for.
        try:
            super().close()
        finally:
            self.raw.close()


class _File(io.FileIO):
    target: Path

    def write(self, data: object, /) -> int:
        with errors_of_writing(self.target):
            return super().write(data)  # type: ignore[arg-type]


def _temporary_name(folder: Path, target: Path) -> Path:
    """A name that is free and says which process uses it."""
    with errors_of_writing(target):
        folder.mkdir(parents=True, exist_ok=True)
        if folder not in _cleaned:
            _cleaned.add(folder)
            _remove_stale(folder)
    return folder / f".innermost-{_HOST}-{os.getpid()}-{secrets.token_hex(4)}"


def _remove_stale(folder: Path) -> None:
    """Remove what processes left that were killed."""
    for entry in folder.iterdir():
        match = _TEMPORARY.fullmatch(entry.name)
        if match is None or match[1] != _HOST or _is_alive(int(match[2])):
            continue
        with suppress(OSError):
            if time.time() - entry.lstat().st_mtime < _STALE_SECONDS:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink()


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # where signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _synchronize(path: Path) -> None:
    """Wait until the disk has it; folders cannot be waited for everywhere."""
    if os.name == "nt":
        return
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(number)
