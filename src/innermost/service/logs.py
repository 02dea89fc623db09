"""Logs: one JSON object per line on standard error, never with the text of requests."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import datetime, timezone
from typing import Any

import msgspec

LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_encode = msgspec.json.Encoder().encode
_level = logging.INFO


class LibraryLines(logging.Handler):
    """Writes the records of uvicorn and asyncio in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        _write(record.levelno, record.levelname.lower(), record.getMessage(), _place(error))


def configure(level: str) -> None:
    global _level
    _level = LEVELS[level]
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [LibraryLines()]
        logger.propagate = False
        logger.setLevel(logging.WARNING)


def info(event: str, **fields: Any) -> None:
    _write(logging.INFO, "info", event, fields)


def warning(event: str, **fields: Any) -> None:
    _write(logging.WARNING, "warning", event, fields)


def exception(event: str, error: BaseException, **fields: Any) -> None:
    _write(logging.ERROR, "error", event, fields | _place(error))


def _place(error: BaseException | None) -> dict[str, Any]:
    """The type of an exception and where it was raised; its message could quote a text."""
    if error is None:
        return {}
    frames = traceback.extract_tb(error.__traceback__)
    trace = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    return {"exception": type(error).__name__, "trace": trace}


def _write(number: int, level: str, event: str, fields: dict[str, Any]) -> None:
    if number < _level:
        return
    time = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    line = {"time": time, "level": level, "event": event, **fields}
    sys.stderr.buffer.write(_encode(line) + b"\n")
    sys.stderr.buffer.flush()
