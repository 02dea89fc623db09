import errno
import subprocess
import sys

import pytest

from innermost.errors import OutputError, UsageError
from innermost.files import lock
from innermost.files.lock import is_locked, locked

HOLD = """
import sys
from pathlib import Path
from innermost.files.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_held_by_one_process_until_that_ends(tmp_path):
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout.readline().strip() == b"held"
    with pytest.raises(UsageError, match="in use by another process"), locked(tmp_path):
        pass
    assert is_locked(tmp_path)
    other.kill()
    other.wait()
    assert not is_locked(tmp_path)
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        pass


def test_looking_for_a_lock_creates_nothing(tmp_path):
    assert not is_locked(tmp_path)
    assert not is_locked(tmp_path / "missing")
    assert not list(tmp_path.iterdir())


def test_a_disk_without_locks_is_not_another_process(tmp_path, monkeypatch):
    def refuse(file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "_lock", refuse)
    with pytest.raises(OutputError, match="cannot be locked: No locks"), locked(tmp_path):
        pass
    assert not is_locked(tmp_path)
