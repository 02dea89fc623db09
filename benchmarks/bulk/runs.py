"""``innermost predict`` as a user starts it: seconds, CPU seconds, memory of each process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

_INTERVAL = 0.5


@dataclass(slots=True)
class Run:
    seconds: float
    cpu_seconds: float
    memory: list[tuple[float, float]] = field(default_factory=list)
    """The highest proportional set size of each process in MB, in the first and in the second half
    of its life: shared pages are divided among those that share them."""


def predict(inputs: Path, output: Path, model: str, *options: str) -> Run:
    """A run with one thread per process."""
    command = [sys.executable, "-m", "innermost", "predict", "--input", str(inputs)]
    command += ["--output", str(output), "--model", model, "--threads", "1", "-q", *options]
    began, cpu = time.perf_counter(), _cpu_of_children()
    process = subprocess.Popen(command)
    samples: dict[int, list[float]] = {}
    watching = threading.Thread(target=_watch, args=(process, samples))
    watching.start()
    code = process.wait()
    seconds = time.perf_counter() - began
    watching.join()
    if code:
        raise SystemExit(f"the run ended with {code}")
    # Without processes that lived for a moment only.
    memory = [_halves(own) for own in samples.values() if len(own) > 3]
    return Run(seconds, _cpu_of_children() - cpu, memory)


def _halves(samples: list[float]) -> tuple[float, float]:
    middle = len(samples) // 2
    return max(samples[:middle]), max(samples[middle:])


def _cpu_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _watch(process: subprocess.Popen[bytes], samples: dict[int, list[float]]) -> None:
    while process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        try:
            pids = [process.pid, *map(int, children.read_text().split())]
        except OSError:
            return
        for pid in pids:
            try:
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            pss = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
            samples.setdefault(pid, []).append(pss / 1024)
        time.sleep(_INTERVAL)
