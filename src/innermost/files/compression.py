"""Compressed files, told by their first bytes when read and by their names when written."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol, cast

from innermost.errors import DataError, MissingExtraError

SUFFIXES = (".gz", ".xz", ".zst")
_CHUNK = 1 << 16


def decompressed(file: io.BufferedReader, path: str) -> io.BufferedReader:
    """``file`` as it is, or its content when its first bytes are those of gzip, xz or zstd."""
    start = file.peek(6)[:6]
    for magic, make in _MAKERS.items():
        if start.startswith(magic):
            return io.BufferedReader(_Decompressing(file, make, path), _CHUNK)
    return file


def compressing(file: IO[bytes], path: str) -> IO[bytes]:
    """A file that compresses into ``file`` if the suffix of ``path`` says so, or ``file``.

    Closing a compressing file leaves the one below it open.
    """
    if path.endswith(".gz"):
        # No name and no time in the header: the same content gives the same bytes.
        return cast(IO[bytes], gzip.GzipFile("", "wb", 6, file, mtime=0))
    if path.endswith(".xz"):
        return lzma.LZMAFile(file, "wb")
    if path.endswith(".zst"):
        return cast(IO[bytes], _zstandard().ZstdCompressor().stream_writer(file, closefd=False))
    return file


class _Decompressor(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


class _Decompressing(io.RawIOBase):
    """One archive after another in one file; one that is cut short or damaged is an error."""

    def __init__(self, file: IO[bytes], make: Callable[[], _Decompressor], path: str) -> None:
        self._file = file
        self._make = make
        self._path = path
        self._archive: _Decompressor | None = make()
        self._rest = b""
        self._ready = b""

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        while not self._ready:
            data = self._rest or self._file.read(_CHUNK)
            self._rest = b""
            if not data:
                if self._archive is not None:
                    raise DataError(
                        "the compressed file is cut short", path=self._path, hint="copy it again"
                    )
                return 0
            self._ready = self._decompress(data)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, data: bytes) -> bytes:
        if self._archive is None:
            if not data.strip(b"\0"):
                return b""  # padding after the last archive, as tape writers leave it
            self._archive = self._make()
        try:
            result = self._archive.decompress(data)
        except Exception as error:  # each of the three libraries has its own class for it
            raise DataError(f"the compressed file is damaged: {error}", path=self._path) from None
        if self._archive.eof:
            self._rest = self._archive.unused_data
            self._archive = None
        return result


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("zstd compression (.zst)", "formats") from None
    return zstandard


_MAKERS: dict[bytes, Callable[[], _Decompressor]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": lambda: cast(
        _Decompressor, _zstandard().ZstdDecompressor().decompressobj()
    ),
}
