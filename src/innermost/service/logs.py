"""Logs: one JSON object per line on standard error, never with the text of a request."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import datetime, timezone
from typing import Any

import msgspec

_LOGGER = logging.getLogger("innermost.service")


class JsonLines(logging.Formatter):
    """A record's message and fields. Of an exception its kind and place: its message may quote."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, timezone.utc)
        line: dict[str, Any] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = type(record.exc_info[1]).__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["trace"] = [f"{f.filename}:{f.lineno} {f.name}" for f in frames]
        return msgspec.json.encode(line).decode()


def configure(level: str) -> None:
    """Send the service's and uvicorn's records to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("innermost.service", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper() if name == "innermost.service" else logging.WARNING)


def info(event: str, **fields: Any) -> None:
    if _LOGGER.isEnabledFor(logging.INFO):
        _LOGGER.info(event, extra={"fields": fields})


def warning(event: str, **fields: Any) -> None:
    _LOGGER.warning(event, extra={"fields": fields})


def exception(event: str, error: BaseException, **fields: Any) -> None:
    _LOGGER.error(event, exc_info=error, extra={"fields": fields})
