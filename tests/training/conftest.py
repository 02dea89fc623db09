"""One way to call the command line in tests of training."""

import sys
from types import SimpleNamespace

import pytest

from innermost.cli import main


@pytest.fixture
def innermost(capsys, monkeypatch):
    """Runs the command line in this process: the result has ``returncode, stdout, stderr``."""

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["innermost", *map(str, args)])
        monkeypatch.setenv("COLUMNS", "200")
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        output = capsys.readouterr()
        return SimpleNamespace(
            returncode=stopped.value.code or 0, stdout=output.out, stderr=output.err
        )

    return call
