"""Compressed files, detected by their first bytes when read and by their names when written.

Reading takes bounded memory, whatever the compression ratio, and stops if the content is out of
proportion to the file, which text never is.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol, cast

from innermost.errors import DataError, MissingExtraError

SUFFIXES = (".gz", ".bz2", ".xz", ".zst")

MAX_RATIO = 2000
"""Text shrinks to a tenth; files that repeat a few words shrink to a thousandth."""
_UNSUSPICIOUS = 1 << 26
"""Up to this size, any ratio is accepted."""
_CHUNK = 1 << 16
_ZSTD_CHUNK = 1 << 8
"""Four bytes can expand to 128 KB, and the library sets no limit: 8 MB at most."""


def decompressed(file: io.BufferedReader, path: str) -> io.BufferedReader:
    """``file`` as it is, or decompressed if its first bytes say that it is compressed."""
    start = file.peek(_LONGEST_MAGIC)[:_LONGEST_MAGIC]
    for magic, make in _DECOMPRESSORS.items():
        if re.match(magic, start, re.DOTALL):
            return io.BufferedReader(_Decompressing(file, make, path), _CHUNK)
    return file


def compressing(file: IO[bytes], path: str) -> IO[bytes]:
    """A file that compresses into ``file`` if ``path`` has such a suffix, else ``file``.

    Closing a compressing file leaves the one below it open.
    """
    if path.endswith(".gz"):
        # No name and no time in the header: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile("", "wb", 6, file, mtime=0))
    if path.endswith(".bz2"):
        return bz2.BZ2File(file, "wb")
    if path.endswith(".xz"):
        return lzma.LZMAFile(file, "wb")
    if path.endswith(".zst"):
        return cast(IO[bytes], _zstandard().ZstdCompressor().stream_writer(file, closefd=False))
    return file


class _Decompressor(Protocol):
    """One archive, decompressed in bounded pieces."""

    def decompress(self, data: bytes) -> bytes:
        """Some of the content; ``data`` continues the archive."""

    @property
    def wants_input(self) -> bool:
        """Whether the input so far is used up."""

    @property
    def rest(self) -> bytes | None:
        """The bytes after the end of the archive."""


class _Zlib:
    def __init__(self) -> None:
        self._archive = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes) -> bytes:
        return self._archive.decompress(self._archive.unconsumed_tail + data, _CHUNK)

    @property
    def wants_input(self) -> bool:
        return not self._archive.unconsumed_tail

    @property
    def rest(self) -> bytes | None:
        return self._archive.unused_data if self._archive.eof else None


class _Standard:
    """xz and bzip2, which share an interface."""

    def __init__(self, archive: Any) -> None:
        self._archive = archive

    def decompress(self, data: bytes) -> bytes:
        return cast(bytes, self._archive.decompress(data, _CHUNK))

    @property
    def wants_input(self) -> bool:
        return bool(self._archive.needs_input)

    @property
    def rest(self) -> bytes | None:
        return self._archive.unused_data if self._archive.eof else None


class _Zstd:
    def __init__(self) -> None:
        self._archive = _zstandard().ZstdDecompressor().decompressobj()
        self._waiting = b""

    def decompress(self, data: bytes) -> bytes:
        data = self._waiting + data
        self._waiting = data[_ZSTD_CHUNK:]
        return cast(bytes, self._archive.decompress(data[:_ZSTD_CHUNK]))

    @property
    def wants_input(self) -> bool:
        return not self._waiting

    @property
    def rest(self) -> bytes | None:
        return self._archive.unused_data + self._waiting if self._archive.eof else None


class _Decompressing(io.RawIOBase):
    """One archive after another in one file; a truncated or damaged one is an error."""

    def __init__(self, file: IO[bytes], make: Callable[[], _Decompressor], path: str) -> None:
        self._file = file
        self._make = make
        self._path = path
        self._archive: _Decompressor | None = make()
        self._between = b""
        """The bytes after an archive: the next one, or padding."""
        self._ready = memoryview(b"")
        self._consumed = self._produced = 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            content = self._more()
            if content is None:
                return 0
            self._ready = memoryview(content)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _more(self) -> bytes | None:
        """A piece of the content, possibly empty; None at the end."""
        data = b""
        if self._archive is None or self._archive.wants_input:
            data, self._between = self._between or self._file.read(_CHUNK), b""
            self._consumed += len(data)
            if not data and self._archive is None:
                return None
            if not data:
                raise DataError(
                    "the compressed file is cut short", path=self._path, hint="copy it again"
                )
        if self._archive is None:
            if not data.strip(b"\0"):
                return b""  # padding after the last archive, as tape writers leave it
            self._archive = self._make()
        try:
            content = self._archive.decompress(data)
        except Exception as error:  # each library raises its own class
            raise DataError(f"the compressed file is damaged: {error}", path=self._path) from None
        if (rest := self._archive.rest) is not None:
            self._between = rest
            self._consumed -= len(rest)
            self._archive = None
        self._check_ratio(len(content))
        return content

    def _check_ratio(self, size: int) -> None:
        self._produced += size
        if self._produced > max(_UNSUSPICIOUS, MAX_RATIO * self._consumed):
            raise DataError(
                f"the content is more than {MAX_RATIO:,} times as large as the compressed file",
                path=self._path,
                hint="if that is right, decompress it first",
            )


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstd compression (.zst)", "formats", error.name) from None
    return zstandard


_DECOMPRESSORS: dict[bytes, Callable[[], _Decompressor]] = {
    rb"\x1f\x8b": _Zlib,
    # Followed by a block, the end of the archive or of the file: a text may begin with BZh, too.
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90|.{0,5}$)": lambda: _Standard(bz2.BZ2Decompressor()),
    rb"\xfd7zXZ\x00": lambda: _Standard(lzma.LZMADecompressor()),
    rb"\x28\xb5\x2f\xfd": _Zstd,
}
"""By a pattern of the first bytes."""
_LONGEST_MAGIC = 10
