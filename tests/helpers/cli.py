"""Call the command line from tests: through ``main``, like a user."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from innermost.cli import main

COMMAND = [sys.executable, "-m", "innermost"]
"""The command line in a separate process."""
COLUMNS = "200"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def jsonl(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


def innermost(*arguments: object, stdin: str | bytes = b"") -> Result:
    """Run a command in this process; 200 columns wide, and not a terminal."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("out", "err")}
    code: object = 0
    with (
        patch.object(sys, "argv", ["innermost", *map(str, arguments)]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")),
        patch.object(sys, "stdout", streams["out"]),
        patch.object(sys, "stderr", streams["err"]),
        patch.dict(os.environ, {"COLUMNS": COLUMNS}),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code
    for stream in streams.values():
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams.values())  # type: ignore[attr-defined]
    return Result(code if isinstance(code, int) else 0 if code is None else 1, out, err)


def ok(*arguments: object, stdin: str | bytes = b"") -> Result:
    """The same for a command that must succeed."""
    done = innermost(*arguments, stdin=stdin)
    assert done.code == 0, done.err
    return done


def innermost_process(
    *arguments: object,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Result:
    """Run a command in a separate process, for tests that depend on the process."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        capture_output=True,
        text=True,
        input=stdin,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)
