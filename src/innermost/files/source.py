"""Sources and outputs of data: files, folders, standard input and output."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from innermost.errors import DataError, UsageError
from innermost.files.atomic import atomic_file
from innermost.files.compression import SUFFIXES, compressing, decompressed

BOM = b"\xef\xbb\xbf"
"""The byte order mark with which some programs begin UTF-8 files."""
BOM_CHARACTER = BOM.decode()

_HEAD = 1 << 16
_RECORDS = re.compile(rb"\s*\[\s*\{")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16; those of UTF-32 begin or end with them."""


class Source:
    """A file, a folder, or standard input (``-``); compressed files are seen decompressed."""

    def __init__(self, path: str | Path, *, shown: str | None = None) -> None:
        """``shown`` is its name in messages, if not its path."""
        self.path = str(path) if shown is None else shown
        self._place = str(path)
        self._start: bytes | None = None
        try:
            exists = self.is_standard_input or Path(path).exists()
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", path=self.path) from None
        if not exists:
            raise DataError("no such file or folder", path=self.path)

    @property
    def is_standard_input(self) -> bool:
        return self.path == "-"

    @property
    def is_folder(self) -> bool:
        return not self.is_standard_input and Path(self._place).is_dir()

    @property
    def name(self) -> str:
        """The last part of the path, without a compression suffix."""
        return plain_name(self.path)

    def open(self) -> io.BufferedReader:
        """The content as a binary file."""
        if self.is_standard_input:
            return self._open_standard_input()
        try:
            file = Path(self._place).open("rb")  # noqa: SIM115
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", path=self.path) from None
        return decompressed(file, self.path)

    def head(self, size: int = _HEAD) -> bytes:
        """The first bytes of the content; none for a folder. Nothing is consumed."""
        if self.is_folder:
            return b""
        if self.is_standard_input:
            start = decompressed(io.BufferedReader(io.BytesIO(self._standard_start())), "-")
            return _read_what_is_there(start, size)
        with self.open() as file:
            return file.read(size)

    def head_text(self) -> str:
        """The head as text, without a byte order mark; what is not UTF-8 is replaced."""
        return self.head().decode("utf-8-sig", errors="replace")

    def begins_with_records(self) -> bool:
        """Whether standard input is a JSON array of objects. Nothing is consumed.

        Reads no more lines than it takes to tell, so that lines are answered as they arrive.
        """
        start = self._start or b""
        while line := _standard_input().readline():
            self._start = start = start + line
            known = self.head()
            # Compressed lines may be too few to contain anything.
            if known and known.strip() != b"[":
                break
        return _RECORDS.match(start and self.head().removeprefix(BOM)) is not None

    def lines(self) -> Iterator[bytes]:
        """The lines of the content, each with its line break."""
        with self.open() as file:
            yield from file

    def utf8_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines as ``(number, bytes)``; a line that is not UTF-8 is an error."""
        for number, line in enumerate(self.lines(), start=1):
            if number == 1:
                line = line.removeprefix(BOM)
                if is_utf16(line):
                    raise utf16_file(self.path)
            if not line.isascii():
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    raise wrong_encoding(error, self.path, number) from None
            yield number, line

    def text_lines(self) -> Iterator[tuple[int, str]]:
        """The lines as ``(number, text without its line break)``, numbered from 1."""
        for number, line in self.lines_or_errors():
            if isinstance(line, DataError):
                raise line
            yield number, line

    def lines_or_errors(self) -> Iterator[tuple[int, str | DataError]]:
        """The same, with an error in place of each line that is not UTF-8."""
        for number, line in enumerate(self.lines(), start=1):
            if number == 1:
                line = line.removeprefix(BOM)
                if is_utf16(line):
                    yield number, utf16_file(self.path)
                    return  # further lines may decode, but to nonsense
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                yield number, wrong_encoding(error, self.path, number)
            else:
                yield number, text.removesuffix("\n").removesuffix("\r")

    def text(self) -> str:
        """The whole content, with its line breaks unchanged."""
        with self.open() as file:
            data = file.read().removeprefix(BOM)
        if is_utf16(data):
            raise utf16_file(self.path)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise wrong_encoding(error, self.path, line) from None

    def files(self, suffix: str) -> list[Source]:
        """The files in a folder whose names end in ``suffix``, compressed or not, sorted.

        Hidden ones, and those in hidden folders, are not meant to be read.
        """
        folder = Path(self._place)
        return [
            Source(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
            and plain_name(path).endswith(suffix)
            and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        ]

    def _standard_start(self) -> bytes:
        if self._start is None:
            self._start = _standard_input().read(_HEAD)
        return self._start

    def _open_standard_input(self) -> io.BufferedReader:
        # Does not wait for the whole head, so lines are yielded as they arrive.
        rest = _Prefixed(self._start or b"", _standard_input())
        self._start = b""
        return decompressed(io.BufferedReader(rest, _HEAD), "-")


@contextmanager
def open_output(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file to write to; ``-`` is standard output.

    The suffix selects the compression. The file gets its name only when it is complete; after an
    error it is as it was before.
    """
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"{path} is a folder", hint="choose the name of a file")
    if target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    with atomic_file(target) as file:
        sink = compressing(file, str(path))
        yield sink
        if sink is not file:
            sink.close()


def plain_name(path: str | Path) -> str:
    """The last part of a path, without a compression suffix."""
    name = Path(path).name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def is_utf16(start: bytes) -> bool:
    """Whether a text that starts like this is UTF-16, with or without a byte order mark.

    Without one, every other byte of Latin letters is 0; in UTF-8, only the character U+0000 is.
    """
    zeros = [byte == 0 for byte in start[:4]]
    is_alternating = zeros in ([True, False] * 2, [False, True] * 2)
    is_blank = start[:4].replace(b"\0", b"").isspace()  # such as a U+0000 in each of two lines
    return start.startswith(_UTF16) or (is_alternating and not is_blank)


def utf16_file(path: str) -> DataError:
    return _wrong_encoding("the file is UTF-16", path, 1)


def wrong_encoding(error: UnicodeDecodeError, path: str, line: int) -> DataError:
    """The error for a file that is not UTF-8."""
    if line == 1 and is_utf16(error.object):
        return utf16_file(path)
    problem = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
    return _wrong_encoding(problem, path, line)


def _wrong_encoding(problem: str, path: str, line: int) -> DataError:
    hint = "convert it to UTF-8" if path == "-" else "save the file as UTF-8"
    return DataError(problem, path=path, line=line, hint=hint)


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:  # closed by whoever started the program
        raise DataError("standard input is closed")
    return cast(io.BufferedReader, sys.stdin.buffer)


class _Prefixed(io.RawIOBase):
    """A file with the bytes already read from it put back."""

    def __init__(self, start: bytes, rest: io.BufferedReader) -> None:
        self._start = start
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._start[: len(buffer)]
        if data:
            self._start = self._start[len(data) :]
        else:
            data = self._rest.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _read_what_is_there(file: IO[bytes], size: int) -> bytes:
    """Up to ``size`` bytes of a file that may be truncated because only its start is known."""
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < size:
        try:
            piece = file.read(1024)
        except DataError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)[:size]
