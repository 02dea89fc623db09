"""Untrusted tar archives: only plain files are read, under names we choose."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from innermost.errors import DataError
from innermost.files.source import Source, plain_name

_SUFFIXES = (".tar", ".tgz", ".tbz2", ".txz")


def is_archive(source: Source) -> bool:
    return not source.is_folder and plain_name(source.path).endswith(_SUFFIXES)


@contextmanager
def open_member(source: Source, wanted: Callable[[str], bool]) -> Iterator[IO[bytes] | None]:
    """The content of the first file that ``wanted`` accepts; None if there is none."""
    with _reported(source), source.open() as file, tarfile.open(fileobj=file, mode="r|") as archive:
        for member, name in _files(archive, source):
            if wanted(name):
                yield archive.extractfile(member)
                return
        yield None


def member_names(source: Source) -> list[str]:
    """The names of the files in an archive."""
    with _reported(source), source.open() as file, tarfile.open(fileobj=file, mode="r|") as archive:
        return [name for _, name in _files(archive, source)]


def unpack(source: Source, folder: Path, wanted: Callable[[str], bool]) -> dict[str, Source]:
    """The wanted files by name; they are written to ``folder`` with numbers as names.

    A name from the archive is never used as a path.
    """
    found: dict[str, Source] = {}
    with _reported(source), source.open() as file, tarfile.open(fileobj=file, mode="r|") as archive:
        for member, name in _files(archive, source):
            content = archive.extractfile(member) if wanted(name) else None
            if content is None:
                continue
            path = folder / str(len(found))
            with path.open("wb") as sink:
                shutil.copyfileobj(content, sink)
            found[name] = Source(path, shown=f"{source.path}/{_printable(name)}")
    return found


def _files(archive: tarfile.TarFile, source: Source) -> Iterator[tuple[tarfile.TarInfo, str]]:
    for member in archive:
        if member.issparse():
            # A few bytes can expand to any number of zeros.
            raise DataError(
                f"{_printable(member.name)} is a sparse file", path=source.path, hint="unpack it"
            )
        if member.isfile():
            yield member, member.name


@contextmanager
def _reported(source: Source) -> Iterator[None]:
    """Report a damaged archive as an error in the data."""
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise DataError(f"not a readable tar archive: {error}", path=source.path) from None


def _printable(name: str) -> str:
    """A name for messages, without terminal control codes."""
    return name if name.isprintable() else repr(name)[1:-1]
