"""Write files and folders atomically, so that nobody ever sees a partial one.

Output has a temporary name in the same folder until it is complete. An error removes it; if the
process is killed, it stays until the next process that writes there removes it.
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
"""A process in another container may share the host name, with a PID that looks dead here."""
_HINTS = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EROFS: "choose a place that is writable",
    errno.EACCES: "choose a place where you have write permission",
    errno.EPERM: "choose a place where you have write permission",
}

_cleaned: set[Path] = set()


def write_atomically(path: Path, data: bytes) -> None:
    """Write the whole file or leave it as it was, even in a crash.

    A process that has mapped the old file keeps it.
    """
    with atomic_file(path) as file:
        file.write(data)


@contextmanager
def atomic_file(path: Path, *, folder: Path | None = None) -> Iterator[IO[bytes]]:
    """A file that gets its name when it is complete; after an error it is removed.

    Until then it is in ``folder``, which must be on the same disk and is by default the folder of
    the file. A killed process leaves it there. Links are followed, and a replaced file keeps its
    permissions.
    """
    with atomic_path(path, folder=folder) as temporary, _Writer(temporary, path) as file:
        yield file


@contextmanager
def atomic_path(path: Path, *, folder: Path | None = None) -> Iterator[Path]:
    """The same for code that needs a path to write to: the temporary name."""
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
                f"{path} exists and is not empty", hint="choose the name of a new folder"
            )
    temporary = _temporary_name(target.parent, path)
    try:
        with errors_of_writing(path, inside=temporary):
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
    """A folder for files that will be moved to their places; it is removed at the end."""
    temporary = _temporary_name(parent, parent)
    try:
        with errors_of_writing(parent):
            temporary.mkdir()
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def errors_of_writing(path: str | Path, *, inside: Path | None = None) -> Iterator[None]:
    """Turn system errors into errors that name the file and say what to do.

    With ``inside``, errors that name a file outside that folder are left as they are.
    """
    try:
        yield
    except OSError as error:
        names = [name for name in (error.filename, error.filename2) if isinstance(name, str)]
        if inside and names and not any(inside in (Path(n), *Path(n).parents) for n in names):
            raise
        raise _cannot_write(path, error) from error


def refuse_input_as_output(output: str | Path, *inputs: str | Path) -> None:
    """Refuse to overwrite an input; ``-`` is none."""
    for source in inputs:
        with suppress(OSError):
            if "-" not in (source, output) and Path(source).samefile(output):
                raise UsageError(f"{output} is also the input", hint="choose another output name")


def _cannot_write(path: str | Path, error: OSError) -> OutputError:
    hint = _HINTS.get(error.errno) if error.errno is not None else None
    return OutputError(f"{path} cannot be written: {error.strerror or error}", hint=hint)


class _Writer(io.BufferedWriter):
    """A new file; write errors name the final file."""

    def __init__(self, temporary: Path, target: Path) -> None:
        with errors_of_writing(target):
            raw = _File(temporary, "xb")
        raw.target = target
        super().__init__(raw)

    def close(self) -> None:
        # After an error, flushing the buffer may fail again.
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
    """An unused name that identifies this process."""
    with errors_of_writing(target):
        folder.mkdir(parents=True, exist_ok=True)
        if folder not in _cleaned:
            _cleaned.add(folder)
            _remove_stale(folder)
    return folder / f".innermost-{_HOST}-{os.getpid()}-{secrets.token_hex(4)}"


def _remove_stale(folder: Path) -> None:
    """Remove the leftovers of killed processes."""
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
    if os.name == "nt":  # where signal 0 would kill it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _synchronize(path: Path) -> None:
    """Flush to disk; not every system can do so for folders."""
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
