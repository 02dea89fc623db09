"""A separate server for each part of the benchmark."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError


class Server:
    def __init__(self, *options: str) -> None:
        self._log = Path(tempfile.mkdtemp(prefix="innermost-service-")) / "log.jsonl"
        command = [sys.executable, "-m", "innermost", "serve", "--port", "0", *options]
        with self._log.open("wb") as stderr:
            self._process = subprocess.Popen(command, stderr=stderr)
        self.port = self._wait_for("listening")["port"]
        self._wait_for("worker ready")

    def processes(self) -> list[int]:
        """The server and its workers."""
        ready = [line for line in self.events() if line["event"] == "worker ready"]
        return [self._process.pid, *{line["worker"]: line["pid"] for line in ready}.values()]

    def memory(self) -> int:
        """Resident bytes of all processes."""
        total = 0
        for pid in self.processes():
            with suppress(FileNotFoundError):  # a worker that is being replaced
                for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmRSS:"):
                        total += 1024 * int(line.split()[1])
        return total

    def get(self, path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as reply:
                return reply.read().decode()
        except HTTPError as error:
            return error.read().decode()

    def events(self) -> list[dict[str, object]]:
        lines = self._log.read_text(encoding="utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(60)

    def _wait_for(self, event: str) -> dict[str, int]:
        for _ in range(6000):
            for line in self.events():
                if line["event"] == event:
                    return line  # type: ignore[return-value]
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise SystemExit(f"the server did not start:\n{self._log.read_text()}")


@contextmanager
def served(*options: str) -> Iterator[Server]:
    server = Server("--drain", "0", *options)
    try:
        yield server
    finally:
        server.stop()
