"""Measure what a core installation costs, and fail if it costs too much.

    python tools/footprint.py [NAME=LIMIT...]

The size is that of innermost, its models and the packages it needs, without extras. The rest is
measured in a new process that predicts one sentence. Seconds are only shown: they depend on the
machine. The exit code is 1 if a limit is exceeded; `modules=1000` sets another limit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path
from tempfile import TemporaryFile

from required_packages import required_packages

MEGABYTE = 1_000_000
LIMITS = {
    "install_megabytes": 250,
    "peak_memory_megabytes": 190,
    "modules": 680,
    "code_megabytes": 80,
}
"""About a quarter above what was measured, except for the promised size of an installation."""
TEXT = "The University of Oxford opened a library in Ghent on Monday."
NEVER = {"torch", "onnx", "transformers", "pandas", "pyarrow", "spacy", "sklearn"}
"""Packages that prediction with a shipped model must not import."""
PROGRAM = """
import json, sys
from innermost.cli import main
sys.argv[1:] = ["predict", sys.argv[1]]
try:
    main()
except SystemExit as ended:
    if ended.code:
        raise
files = {module.__name__: getattr(module, "__file__", None) for module in sys.modules.values()}
print(json.dumps(files), file=sys.stderr)
"""


def main(arguments: Iterable[str]) -> int:
    limits = LIMITS | {name: float(limit) for name, limit in (a.split("=") for a in arguments)}
    if unknown := set(limits) - set(LIMITS):
        sys.exit(f"unknown limit {', '.join(unknown)}; one of: {', '.join(LIMITS)}")
    measured = {"install_megabytes": _install_size() / MEGABYTE} | _cold_start()
    exceeded = [name for name, limit in limits.items() if measured[name] > limit]
    for name, value in measured.items():
        limit = f"limit {limits[name]:g}" if name in limits else ""
        print(f"{name:24}{value:8.4g}  {limit}{'  EXCEEDED' if name in exceeded else ''}".rstrip())
    return bool(exceeded)


def _install_size() -> int:
    packages = required_packages("innermost", frozenset())
    if missing := [name for name, package in packages.items() if package is None]:
        sys.exit(f"not installed: {', '.join(missing)}")
    import innermost

    ours = Path(innermost.__file__).parent
    # An editable installation lists no files of its own.
    files = {path for path in ours.rglob("*") if "__pycache__" not in path.parts}
    for name, package in packages.items():
        if package is not None and name != "innermost":
            files.update(_files(package))
    return sum(path.stat().st_size for path in files if path.is_file())


def _files(package: Distribution) -> Iterable[Path]:
    return (Path(str(package.locate_file(file))) for file in package.files or ())


def _cold_start() -> dict[str, float]:
    """Of one prediction; of two runs, the second, which finds compiled modules."""
    _predict()
    begun = time.perf_counter()
    files, memory = _predict()
    seconds = time.perf_counter() - begun
    if wrong := NEVER & {name.partition(".")[0] for name in files}:
        sys.exit(f"prediction imports {', '.join(sorted(wrong))}")
    paths = {Path(file) for file in files.values() if file}
    return {
        "peak_memory_megabytes": memory / MEGABYTE,
        "modules": len(files),
        "code_megabytes": sum(path.stat().st_size for path in paths if path.exists()) / MEGABYTE,
        "cold_start_seconds": seconds,
    }


def _predict() -> tuple[dict[str, str | None], int]:
    """The files of the modules that were imported, and the bytes of memory at the peak."""
    with TemporaryFile() as answer, TemporaryFile() as report:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, TEXT], stdout=answer, stderr=report
        )
        # The usage of this process alone, which the subprocess module does not return.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        answer.seek(0)
        report.seek(0)
        shown, lines = answer.read().decode(), report.read().decode().splitlines()
    if process.returncode or "organization" not in shown:
        sys.exit("\n".join(["prediction failed", shown, *lines]))
    unit = 1 if sys.platform == "darwin" else 1024
    return json.loads(lines[-1]), usage.ru_maxrss * unit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
