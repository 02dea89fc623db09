"""Sources and outputs: compression, encodings, standard streams, no partial files."""

import bz2
import gzip
import io
import lzma
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from innermost.errors import DataError, MissingExtraError, OutputError, UsageError
from innermost.files.source import Source, open_output

zstandard = pytest.importorskip("zstandard")
CONTENT = "".join(f"line {n} ü\n" for n in range(20_000)).encode()
COMPRESS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
EACH = pytest.mark.parametrize("suffix", COMPRESS)


@EACH
def test_compressed_files_are_told_by_their_content(tmp_path, suffix):
    path = tmp_path / "no-suffix"
    path.write_bytes(COMPRESS[suffix](CONTENT))
    source = Source(path)
    assert source.head(10) == CONTENT[:10]
    assert b"".join(source.lines()) == CONTENT
    assert source.text().encode() == CONTENT


@EACH
def test_archives_one_after_another_are_one_file(tmp_path, suffix):
    path = tmp_path / "x"
    path.write_bytes(COMPRESS[suffix](b"one\n") + COMPRESS[suffix](CONTENT) + b"\0\0\0\0")
    assert b"".join(Source(path).lines()) == b"one\n" + CONTENT


@EACH
@pytest.mark.parametrize("cut", [7, 100, 1])
def test_an_archive_cut_short_is_an_error(tmp_path, suffix, cut):
    path = tmp_path / f"x{suffix}"
    data = COMPRESS[suffix](CONTENT)
    path.write_bytes(data[: len(data) // 2] if cut == 100 else data[:-cut])
    with pytest.raises(DataError, match="cut short") as error:
        list(Source(path).lines())
    assert error.value.path == str(path)


@EACH
def test_a_damaged_archive_is_an_error(tmp_path, suffix):
    data = bytearray(COMPRESS[suffix](CONTENT))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    path = tmp_path / "x"
    path.write_bytes(bytes(data))
    with pytest.raises(DataError, match=r"damaged|cut short"):
        Source(path).text()


@EACH
def test_outputs_are_compressed_by_their_names(tmp_path, suffix):
    path = tmp_path / "new" / f"x.txt{suffix}"
    for _ in range(2):
        with open_output(path) as sink:
            sink.write(CONTENT)
    assert path.read_bytes() != CONTENT
    assert Source(path).text().encode() == CONTENT
    assert Source(path).name == "x.txt"
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_the_same_content_gives_the_same_bytes(tmp_path):
    made = []
    for name in ("a.gz", "b.gz"):
        with open_output(tmp_path / name) as sink:
            sink.write(CONTENT)
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1]


def test_zstd_without_its_package_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "x.zst"
    path.write_bytes(COMPRESS[".zst"](CONTENT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"innermost\[formats\]"):
        Source(path).text()


def test_an_error_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")

    def write_and_fail():
        with open_output(path) as sink:
            sink.write(b"new")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_links_are_written_through_and_permissions_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    with open_output(link) as sink:
        sink.write(b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_outputs_that_cannot_be_written_are_errors(tmp_path):
    with pytest.raises(UsageError, match="is a folder"), open_output(tmp_path):
        pass
    (tmp_path / "file").write_text("")
    inside_a_file = tmp_path / "file" / "x"
    with pytest.raises(OutputError, match="cannot be written"), open_output(inside_a_file):
        pass
    with open_output("/dev/null") as sink:
        sink.write(b"x")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"a\nb\xff\n", 2, "byte 0xff is not UTF-8"),
        (b"a\r\nb\r\n\xe9t\xe9", 3, "byte 0xe9 is not UTF-8"),
        ("ab\n".encode("utf-16"), 1, "the file is UTF-16"),
        ("ab\n".encode("utf-16-le"), 1, "the file is UTF-16"),
        ("é\nb\n".encode("utf-16-be"), 1, "the file is UTF-16"),
        (b"a\n\xff\xfe\n", 2, "byte 0xff is not UTF-8"),
    ],
)
def test_wrong_encodings_name_file_and_line(tmp_path, data, line, message):
    path = tmp_path / "x"
    path.write_bytes(data)
    for read in (Source(path).text, lambda: list(Source(path).text_lines())):
        with pytest.raises(DataError, match=message) as error:
            read()
        assert (error.value.path, error.value.line) == (str(path), line)


def test_a_text_of_null_characters_is_not_taken_for_utf16(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\0 \0\n")
    assert list(Source(path).text_lines()) == [(1, "\0 \0")]


def test_lines_are_numbered_and_have_no_ends(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbfa\r\n\r\nb\x85\xc2\x85c\rd"[:8] + b"b\xc2\x85c\rd")
    assert list(Source(path).text_lines()) == [(1, "a"), (2, ""), (3, "b\x85c\rd")]


@pytest.mark.parametrize("compress", [lambda data: data, *COMPRESS.values()])
def test_standard_input_can_be_looked_at_and_then_read(monkeypatch, compress):
    stream = io.BufferedReader(io.BytesIO(compress(CONTENT * 3)))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    source = Source("-")
    assert source.head(100) == CONTENT[:100]
    assert source.head(100) == CONTENT[:100]
    assert source.text().encode() == CONTENT * 3


def test_standard_output(capfdbinary):
    with open_output("-") as sink:
        sink.write(CONTENT)
    assert capfdbinary.readouterr().out == CONTENT


def test_folders_list_their_files_in_order(tmp_path):
    for name in ("b/x.ann", "a/y.ann.gz", "a/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    source = Source(tmp_path)
    assert source.is_folder
    assert source.head() == b""
    assert [s.name for s in source.files(".ann")] == ["y.ann", "x.ann"]


def test_closed_standard_input_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    for read in (Source("-").head, Source("-").text):
        with pytest.raises(DataError, match="standard input is closed"):
            read()


def test_messages_may_call_a_file_something_else(tmp_path):
    (tmp_path / "0").write_bytes(b"\xff")
    with pytest.raises(DataError) as error:
        Source(tmp_path / "0", shown="a.tar/x.txt").text()
    assert error.value.path == "a.tar/x.txt"


def test_what_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(DataError, match="name too long"):
        Source("a" * 5000)
    with pytest.raises(DataError, match="no such file or folder"):
        Source(tmp_path / "nowhere")
