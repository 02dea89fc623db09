"""Files and folders are written completely or not at all, whatever happens."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from innermost.errors import OutputError, UsageError
from innermost.files import atomic
from innermost.files.atomic import (
    atomic_file,
    atomic_folder,
    atomic_path,
    refuse_input_as_output,
    write_atomically,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def _forget_cleaned_folders(monkeypatch):
    monkeypatch.setattr(atomic, "_cleaned", set())


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "new" / "x"
    with atomic_file(path) as file:
        file.write(b"one")
        assert not path.exists()
    assert path.read_bytes() == b"one"
    assert names(path.parent) == ["x"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_after_an_error_everything_is_as_it_was(tmp_path, error):
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail(write):
        with write as target:
            assert target
            raise error

    for write in (atomic_file(path), atomic_path(path), atomic_folder(tmp_path / "folder")):
        with pytest.raises(error):
            fail(write)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


FULL_DISK = """
    import resource, signal
    from pathlib import Path
    from innermost.errors import OutputError
    from innermost.files.atomic import atomic_folder, write_atomically

    def check(write):
        try:
            write()
        except OutputError as error:
            assert "cannot be written: File too large" in str(error), error
        else:
            raise AssertionError("it was written")

    def write_folder():
        with atomic_folder(folder / "f") as f:
            (f / "a").write_bytes(b"-" * 1000)

    folder = Path({folder!r})
    # Files may not grow: what a full disk does, done to this process alone.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    check(lambda: write_atomically(folder / "x", b"-" * 1000))  # fails at the end
    check(lambda: write_atomically(folder / "x", b"-" * 10_000_000))  # fails on the way
    check(write_folder)
"""


def test_what_cannot_be_written_is_named_and_removed(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    program = textwrap.dedent(FULL_DISK).format(folder=str(tmp_path))
    subprocess.run([sys.executable, "-c", program], check=True)
    assert (tmp_path / "x").read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "free some space"), (errno.EROFS, "choose a place"), (errno.EIO, None)],
)
@pytest.mark.parametrize("operation", ["fsync", "replace", "open"])
def test_every_operation_may_fail(tmp_path, monkeypatch, operation, number, hint):
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(number, os.strerror(number))

    owner = {"fsync": (os, "fsync"), "replace": (Path, "replace"), "open": (os, "open")}[operation]
    monkeypatch.setattr(*owner, fail)
    with pytest.raises(OutputError, match=os.strerror(number)) as caught:
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert (caught.value.hint or "").startswith(hint or "")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["x"]


@pytest.mark.parametrize("mask", [0o027, 0o022, 0])
def test_new_files_have_the_usual_permissions(tmp_path, monkeypatch, mask):
    before = os.umask(mask)
    try:
        # Threads share the mask: it is never changed, not even for a moment.
        monkeypatch.setattr(os, "umask", None)
        write_atomically(tmp_path / "x", b"")
        with atomic_folder(tmp_path / "folder"):
            pass
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o666 & ~mask
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o777 & ~mask


def test_links_are_written_through_and_permissions_kept(tmp_path):
    real, link = tmp_path / "a" / "real", tmp_path / "link"
    real.parent.mkdir()
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o600


def test_folders(tmp_path):
    empty, full = tmp_path / "empty", tmp_path / "full"
    empty.mkdir()
    full.mkdir()
    (full / "x").write_text("")
    for path in (empty, tmp_path / "new" / "one"):
        with atomic_folder(path) as folder:
            (folder / "a").write_text("a")
        assert names(path) == ["a"]
    for path in (full, full / "x"):
        with pytest.raises(UsageError, match="not empty"), atomic_folder(path):
            pass
    assert names(tmp_path) == ["empty", "full", "new"]


def dead_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_dead_processes_left_is_removed(tmp_path):
    hour_ago = time.time() - 3600
    dead = dead_process()
    left = {
        f".innermost-{atomic._HOST}-{dead}-0123abcd": False,
        f".innermost-{atomic._HOST}-{os.getpid()}-0123abcd": True,  # alive
        f".innermost-000000-{dead}-0123abcd": True,  # of another machine
        f".innermost-{atomic._HOST}-{dead}-mine": True,  # not ours
    }
    for name in left:
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (hour_ago, hour_ago))
    fresh = f".innermost-{atomic._HOST}-{dead}-89abcdef"
    (tmp_path / fresh).write_text("")
    folder = tmp_path / f".innermost-{atomic._HOST}-{dead}-00000000"
    folder.mkdir()
    (folder / "a").write_text("")
    os.utime(folder, (hour_ago, hour_ago))
    write_atomically(tmp_path / "x", b"")
    kept = {name for name, is_kept in left.items() if is_kept}
    assert set(names(tmp_path)) == {"x", fresh, *kept}


def test_a_killed_process_leaves_only_what_the_next_one_removes(tmp_path):
    program = f"""
        import os, signal
        from pathlib import Path
        from innermost.files.atomic import atomic_file
        with atomic_file(Path({str(tmp_path / "x")!r})) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".innermost-")
    os.utime(left, (0, 0))
    write_atomically(tmp_path / "y", b"")
    assert names(tmp_path) == ["y"]


def test_the_input_is_not_written_over(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("")
    link.symlink_to(path)
    with pytest.raises(UsageError, match="is also the input"):
        refuse_input_as_output(link, tmp_path / "other", path)
    refuse_input_as_output(tmp_path / "new", path)
    refuse_input_as_output("-", path)


def test_a_missing_input_is_not_blamed_on_the_output(tmp_path):
    with (
        pytest.raises(FileNotFoundError, match="missing"),
        atomic_folder(tmp_path / "out") as folder,
    ):
        (folder / "a").write_bytes((tmp_path / "missing").read_bytes())
    assert list(tmp_path.iterdir()) == []
