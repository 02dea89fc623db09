"""A request to the stream route that stays open, and its response."""

from __future__ import annotations

import json
import socket
from typing import Any

HEAD = (
    b"POST /v1/extract/stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


class ChunkedReader:
    """Lines of a chunked answer, as they arrive."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rb")
        self.status = int(self._file.readline().split()[1])
        while self._file.readline().strip():
            pass
        self._rest = b""

    def line(self) -> Any:
        while b"\n" not in self._rest:
            size = int(self._file.readline(), 16)
            data = self._file.read(size)
            self._file.readline()
            if not size:
                return None
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)
