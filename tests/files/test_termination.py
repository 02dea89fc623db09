"""A program that is asked to stop removes its partial output."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from innermost.files.termination import clean_termination

PROGRAM = """
    import signal, sys, time
    from pathlib import Path
    from innermost.files.atomic import atomic_file
    from innermost.files.termination import clean_termination
    {before}
    with clean_termination(), atomic_file(Path({path!r})) as file:
        file.write(b"half")
        print("ready", flush=True)
        time.sleep({seconds})
"""


def run(path, number, *, before="", seconds=60):
    program = textwrap.dedent(PROGRAM).format(path=str(path), before=before, seconds=seconds)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(number)
    return process.wait(60)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left(tmp_path, number):
    # The tests themselves may run where the signal is ignored, as under nohup.
    default = f"signal.signal({int(number)}, signal.SIG_DFL)"
    assert run(tmp_path / "x", number, before=default) == 128 + number
    assert not list(tmp_path.iterdir())


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    ignore = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    assert run(tmp_path / "x", signal.SIGHUP, before=ignore, seconds=1) == 0
    assert (tmp_path / "x").read_bytes() == b"half"


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM)
    with clean_termination():
        pass
    assert signal.getsignal(signal.SIGTERM) is before


def test_other_threads_may_use_it():
    """Only the main thread may set handlers; elsewhere nothing happens."""
    errors = []

    def enter():
        try:
            with clean_termination():
                pass
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert not errors
