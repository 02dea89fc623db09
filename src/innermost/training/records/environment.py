"""The environment that produced a figure, printed next to it."""

from __future__ import annotations

import datetime
import os
import platform
import shlex
import sys
from pathlib import Path

import torch

from innermost import __version__


def describe(device: torch.device, processes: int = 1) -> dict[str, str]:
    if device.type == "cuda":
        hardware = torch.cuda.get_device_name(device)
    else:
        hardware = f"{platform.machine()} CPU, {torch.get_num_threads()} of {os.cpu_count()} cores"
    if processes > 1:
        hardware = f"{processes} processes, each on {hardware}"
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "hardware": hardware,
        "innermost": __version__,
        "torch": str(torch.__version__),
        "python": platform.python_version(),
    } | _command()


def _command() -> dict[str, str]:
    """The command line, if it is this package's."""
    program = Path(sys.argv[0])
    names = (program.stem, program.parent.name)
    return {"command": shlex.join(["innermost", *sys.argv[1:]])} if "innermost" in names else {}
