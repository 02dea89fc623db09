"""Error responses, all in one shape."""

from __future__ import annotations

from typing import Any

import msgspec

from innermost.service.web.schemas import ErrorBody


class ServiceError(Exception):
    """A response that is not a success."""

    def __init__(
        self,
        status: int,
        error_type: str,
        message: str,
        *,
        detail: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error_type = error_type
        self.message = message
        self.detail = detail
        self.headers = headers or {}

    def body(self) -> ErrorBody:
        return ErrorBody(error=self.message, error_type=self.error_type, detail=self.detail)

    def content(self) -> bytes:
        return msgspec.json.encode(self.body())


class ClientGone(Exception):  # noqa: N818  (not an error: nobody is left to receive it)
    """The client closed the connection before its response was ready."""


def invalid(message: str, **detail: Any) -> ServiceError:
    """``detail`` says where: ``at``, a path such as ``$.texts[2]``, or ``byte``, from 0."""
    return ServiceError(422, "invalid_request", message, detail=detail)


def too_large(message: str, **detail: Any) -> ServiceError:
    return ServiceError(413, "too_large", message, detail=detail)


def overloaded(message: str, retry_after: int, **detail: Any) -> ServiceError:
    headers = {"Retry-After": str(retry_after)}
    return ServiceError(429, "overloaded", message, detail=detail, headers=headers)


def unavailable(error_type: str, message: str, retry_after: int) -> ServiceError:
    headers = {"Retry-After": str(retry_after)}
    return ServiceError(503, error_type, message, headers=headers)


def internal() -> ServiceError:
    return ServiceError(
        500, "internal", "the service failed; its log has the details under the X-Request-ID"
    )
