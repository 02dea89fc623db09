"""How many CPUs there are for this process."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def available_cpus(quota: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """The CPUs that this process may use; in a container, according to its quota."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no container, or "max" for no quota
        allowed, period = map(int, quota.read_text(encoding="ascii").split())
        cpus = min(cpus, max(-(-allowed // period), 1))
    return cpus
