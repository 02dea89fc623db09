"""Untrusted compressed files: bounded memory and bounded work."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma

import pytest

from innermost.errors import DataError
from innermost.files import compression
from innermost.files.compression import decompressed
from innermost.files.source import Source

zstandard = pytest.importorskip("zstandard")
COMPRESS = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
EACH = pytest.mark.parametrize("kind", COMPRESS)


@pytest.fixture
def pieces(monkeypatch):
    """The sizes of the pieces that were decompressed at once."""
    sizes = []
    more = compression._Decompressing._more

    def counted(self):
        content = more(self)
        sizes.append(len(content or b""))
        return content

    monkeypatch.setattr(compression._Decompressing, "_more", counted)
    return sizes


@EACH
def test_no_piece_is_large_and_all_are_of_use(kind, pieces):
    size = 1 << 25
    file = decompressed(io.BufferedReader(io.BytesIO(COMPRESS[kind](b" " * size))), "x")
    total = 0
    while part := file.read(1 << 16):
        total += len(part)
    assert total == size
    assert max(pieces) <= (1 << 23 if kind == "zst" else 1 << 16)
    assert sum(size == 0 for size in pieces) <= 1 + len(pieces) / 2


@EACH
def test_the_head_of_a_file_costs_only_itself(kind, pieces, tmp_path):
    (tmp_path / "x").write_bytes(COMPRESS[kind](b" " * (1 << 25)))
    assert Source(tmp_path / "x").head(1000) == b" " * 1000
    assert sum(pieces) <= (1 << 23 if kind == "zst" else 1 << 18)


@pytest.mark.parametrize("kind", ["xz", "bz2", "zst"])
def test_content_out_of_proportion_is_refused(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "_UNSUSPICIOUS", 1 << 24)
    (tmp_path / "x").write_bytes(COMPRESS[kind](b" " * (1 << 25)))
    with pytest.raises(DataError, match="more than 2,000 times as large") as caught:
        Source(tmp_path / "x").text()
    assert caught.value.path == str(tmp_path / "x")
    assert Source(tmp_path / "x").head(1000)


@EACH
def test_many_small_archives_are_one_file(kind, tmp_path):
    parts = [f"part {n}\n".encode() for n in range(500)]
    (tmp_path / "x").write_bytes(b"".join(map(COMPRESS[kind], parts)))
    assert list(Source(tmp_path / "x").lines()) == parts


@pytest.mark.parametrize("text", [b"BZhang et al. wrote it.", b"BZh9 is a name, too"])
def test_a_text_that_begins_like_an_archive_is_a_text(text):
    assert decompressed(io.BufferedReader(io.BytesIO(text)), "x").read() == text


def test_archives_of_nothing_and_of_half_a_header():
    empty = decompressed(io.BufferedReader(io.BytesIO(bz2.compress(b""))), "x")
    assert empty.read() == b""
    half = decompressed(io.BufferedReader(io.BytesIO(bz2.compress(b"a")[:7])), "x")
    with pytest.raises(DataError, match="cut short"):
        half.read()
