"""A real ``innermost serve`` on 127.0.0.1, and helpers to talk to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONG = 180.0
"""Seconds after which something must be broken, even on a busy machine."""


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RunningServer:
    def __init__(self, log: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self._log = log
        command = [sys.executable, "-m", "innermost", "serve", "--port", "0", *options]
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                command, stderr=stderr, env={**os.environ, **(env or {})}
            )
        try:
            self.port: int = self.wait_for_event("listening")["port"]
        except BaseException:
            self.process.kill()
            raise

    def events(self) -> list[dict[str, Any]]:
        """The lines of the log, which are all JSON."""
        text = self._log.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def log_text(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def wait_for_event(self, event: str, count: int = 1) -> dict[str, Any]:
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            matching = [line for line in self.events() if line["event"] == event]
            if len(matching) >= count:
                return matching[count - 1]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"no {event!r} in the log:\n{self.log_text()}")

    def wait_until_ready(self) -> None:
        self.wait_for(lambda: self.request("GET", "/readyz").status == 200)

    def wait_for_metric(self, line: str) -> None:
        self.wait_for(lambda: line in self.request("GET", "/metrics").body.decode())

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + LONG
        while not condition():
            assert time.monotonic() < end, self.log_text()
            time.sleep(0.02)

    def worker_pids(self) -> list[int]:
        """The process ids of the latest ready worker in each slot."""
        ready = [line for line in self.events() if line["event"] == "worker ready"]
        return list({line["worker"]: line["pid"] for line in ready}.values())

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)

    def socket(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=LONG)

    def request(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Reply:
        connection = self.connect()
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()

    def post(self, path: str, body: Any, **headers: str) -> Reply:
        """Send bytes and iterables of bytes as is, anything else as JSON."""
        return self.request("POST", path, body, {"Content-Type": "application/json", **headers})

    def extract(self, **request: Any) -> Any:
        reply = self.post("/v1/extract", request)
        assert reply.status == 200, reply.body
        return reply.json

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LONG)


def exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    plain = body is None or isinstance(body, bytes | Iterator)
    connection.request(method, path, body if plain else json.dumps(body), headers or {})
    response = connection.getresponse()
    names = {name.lower(): value for name, value in response.getheaders()}
    return Reply(response.status, names, response.read())


@contextmanager
def running(log: Path, *options: str, env: dict[str, str] | None = None) -> Iterator[RunningServer]:
    server = RunningServer(log, *options, env=env)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.process.kill()
        server.process.wait()
