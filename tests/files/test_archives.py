"""Untrusted tar archives."""

from __future__ import annotations

import io
import tarfile

import pytest

from innermost.errors import DataError
from innermost.files.archives import is_archive, member_names, open_member, unpack
from innermost.files.source import Source


def archive(path, *files, mode="w"):
    with tarfile.open(path, mode) as tar:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return Source(path)


def test_files_are_found_by_name(tmp_path):
    source = archive(tmp_path / "a.tar.gz", ("d/x.txt", b"one"), ("y.xml", b"two"), mode="w:gz")
    assert is_archive(source)
    assert member_names(source) == ["d/x.txt", "y.xml"]
    with open_member(source, lambda name: name.endswith(".xml")) as content:
        assert content.read() == b"two"
    with open_member(source, lambda name: name.endswith(".pdf")) as content:
        assert content is None
    files = unpack(source, tmp_path, lambda name: name.endswith(".txt"))
    assert files["d/x.txt"].text() == "one"
    assert files["d/x.txt"].path == f"{source.path}/d/x.txt"


def test_a_sparse_file_is_refused(tmp_path):
    """A few bytes can expand to any number of zeros."""
    member = tarfile.TarInfo("big.txt")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:398] = b"00000000000\0"  # one empty piece
    header[398:410] = b"00000000000\0"
    header[483:495] = b"77777777777\0"  # 8 GB in total
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    (tmp_path / "a.tar").write_bytes(bytes(header) + bytes(1024))
    source = Source(tmp_path / "a.tar")
    with pytest.raises(DataError, match=r"big\.txt is a sparse file"):
        unpack(source, tmp_path, lambda name: True)


@pytest.mark.parametrize("cut", [100, 600, 700])
def test_a_cut_archive_is_an_error(tmp_path, cut):
    archive(tmp_path / "a.tar", ("x.xml", b"-" * 500), ("y.xml", b"-" * 500))
    whole = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "a.tar").write_bytes(whole[:cut])
    with pytest.raises(DataError, match="not a readable tar archive") as caught:
        unpack(Source(tmp_path / "a.tar"), tmp_path, lambda name: True)
    assert caught.value.path == str(tmp_path / "a.tar")


def test_names_in_messages_cannot_command_a_terminal(tmp_path):
    source = archive(tmp_path / "a.tar", ("\x1b[31mred.txt", b"\xff"))
    (file,) = unpack(source, tmp_path, lambda name: True).values()
    with pytest.raises(DataError) as caught:
        file.text()
    assert "\x1b" not in str(caught.value)
    assert r"\x1b[31mred.txt" in str(caught.value)
