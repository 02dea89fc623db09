"""Query a system in a separate process: one request in, one answer out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import python_of
from benchmarks.peers.systems import Original, Package

from innermost.errors import InnermostError

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def ask(
    system: Package | Original, request: dict[str, Any], work: Path, threads: int
) -> dict[str, Any]:
    """The answer; other output of the system goes to ``log`` in its folder."""
    folder = work / system.name
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    if isinstance(system, Original):
        command, place = system.arguments, system.checkout
    else:
        command, place = [str(python_of(folder / "env")), str(system.worker)], None
    with log.open("w", encoding="utf-8") as errors:
        done = subprocess.run(
            command,
            cwd=place,
            input=json.dumps(request),
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | dict.fromkeys(_THREADS, str(threads)),
            text=True,
            check=False,
        )
    if done.returncode:
        ending = "\n  ".join(log.read_text(encoding="utf-8").splitlines()[-5:])
        raise InnermostError(f"{system.name} failed; {log} ends with", hint=ending)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise InnermostError(
            f"{system.name} did not answer with one JSON object",
            hint=f"it printed: {done.stdout[:200]!r}",
        ) from None
    return answer
