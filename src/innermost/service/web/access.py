"""The trace that each request leaves: an ID, a count in the metrics, a line in the log."""

from __future__ import annotations

import random
from typing import Any

from innermost.service import logs
from innermost.service.service import Service

OTHER = "other"
"""The route of a request for no known path."""
PROBES = ("/livez", "/readyz")
"""Requested every few seconds: they are logged only if they fail."""


def new_id() -> bytes:
    return b"%016x" % random.getrandbits(64)


def record(
    service: Service,
    *,
    request_id: bytes,
    method: str | None,
    route: str,
    status: int,
    outcome: str,
    seconds: float,
    **details: Any,
) -> None:
    service.metrics.requests.add(route=route, outcome=outcome)
    service.metrics.request_seconds.observe(seconds, route=route)
    if service.settings.access_log and not (route in PROBES and outcome == "ok"):
        logs.info(
            "request",
            request_id=request_id.decode(),
            method=method,
            route=route,
            status=status,
            outcome=outcome,
            milliseconds=round(1000 * seconds, 1),
            **details,
        )
