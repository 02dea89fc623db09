"""The settings of a service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

MEBIBYTE = 1 << 20


class ModelSource(NamedTuple):
    name: str
    folder: str
    layer: str | None = None
    """The layer to use of a model with several layers of annotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    models: tuple[ModelSource, ...]
    """The first is the default."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 1
    """Threads of ONNX Runtime in each worker."""
    device: str = "cpu"
    """Of all workers: ``cpu`` or ``cuda``."""
    batch_tokens: int = 2_048
    """Tokens in one batch, over all clients."""
    max_body: int = 2 * MEBIBYTE
    """Bytes in a request's body, or in a line of a stream."""
    max_texts: int = 1_000
    """Texts in a request."""
    max_requests: int = 256
    """Requests in flight; more are refused with 429."""
    max_queue_tokens: int = 500_000
    """Tokens waiting for a worker; with more, requests are refused with 429."""
    stream_lines: int = 64
    """Lines of one stream that are read ahead of the answers."""
    timeout: float = 30.0
    """Seconds from a request's first byte to its response, and for a client to read part of it."""
    head_timeout: float = 10.0
    """Seconds for the request line and headers to arrive."""
    keep_alive: float = 15.0
    """Seconds that an idle connection is kept."""
    drain: float = 3.0
    """Seconds between SIGTERM, when readiness turns to 503, and closing the port."""
    api_keys: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    label_studio: bool = False
    access_log: bool = True

    @property
    def stall_timeout(self) -> float:
        """Seconds after which a worker that is busy with one batch is replaced."""
        return max(60.0, 2 * self.timeout)
