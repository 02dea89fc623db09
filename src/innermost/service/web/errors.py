"""The responses to errors, all in one shape."""

from __future__ import annotations

import msgspec

from innermost.service.errors import (
    InvalidRequestError,
    OverloadedError,
    ServiceError,
    TooLargeError,
    UnavailableError,
    UnknownModelError,
)
from innermost.service.schemas import ErrorBody

_STATUS: dict[type, int] = {
    InvalidRequestError: 422,
    UnknownModelError: 404,
    TooLargeError: 413,
    OverloadedError: 429,
    UnavailableError: 503,
    ServiceError: 500,
}


class HttpError(ServiceError):
    """An error of the HTTP exchange itself, such as a missing API key."""

    def __init__(
        self, status: int, error_type: str, message: str, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.status = status
        self.headers = headers or {}


def status_of(error: ServiceError) -> int:
    if isinstance(error, HttpError):
        return error.status
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def headers_of(error: ServiceError) -> dict[str, str]:
    if isinstance(error, HttpError):
        return error.headers
    return {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}


def body_of(error: ServiceError) -> ErrorBody:
    return ErrorBody(error=error.message, error_type=error.error_type, detail=error.detail)


def content_of(error: ServiceError) -> bytes:
    return msgspec.json.encode(body_of(error))
