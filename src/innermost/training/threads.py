"""The number of CPU threads of training: one where other programs keep the processors busy.

Threads that compute together wait for the slowest of them, and use their processor while they wait.
If other programs take turns with them, two threads can be a hundred times slower than one.
"""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path

import torch

_RUNNING = Path("/proc/loadavg")
_SAMPLES, _INTERVAL = 10, 0.02


def use_threads(wanted: int) -> str | None:
    """Set the number of threads; 0 leaves torch's own, unless other programs are busy.

    Returns a note for the user if they are.
    """
    if wanted:
        torch.set_num_threads(wanted)
    threads, busy = torch.get_num_threads(), busy_programs()
    if busy is None or threads == 1:
        return None
    if wanted or "OMP_NUM_THREADS" in os.environ:
        return (
            f"note: {busy}, and {threads} threads that wait for each other can be many times "
            "slower; --set training.threads=1, or OMP_WAIT_POLICY=passive in the environment, "
            "avoids that"
        )
    torch.set_num_threads(1)
    return (
        f"note: {busy}: training uses 1 thread, because {threads} that wait for each other can be "
        f"many times slower; --set training.threads={threads} uses all"
    )


@cache
def busy_programs() -> str | None:
    """How busy other programs are, if that slows threads down.

    It is measured once, before training adds to the load.
    """
    if not hasattr(os, "getloadavg"):  # Windows
        return None
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    is_passive = os.environ.get("OMP_WAIT_POLICY", "").lower() == "passive"
    if load < cores or is_passive or _others_now(load) < cores / 2:
        return None
    return f"other programs are busy (load {load:.1f} on {cores} cores)"


def _others_now(load: float) -> float:
    """The other threads that are running now, where that is known: the load is a mean over the last
    minute, in which this user's last training may have ended."""
    if not _RUNNING.exists():
        return load
    total = 0
    for _ in range(_SAMPLES):
        time.sleep(_INTERVAL)
        total += int(_RUNNING.read_text(encoding="utf-8").split()[3].partition("/")[0]) - 1
    return total / _SAMPLES
