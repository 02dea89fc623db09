"""Why a request gets no documents. ``web`` turns these errors into responses."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """A request that cannot be answered: the base of all others, which name the reason."""

    error_type: str
    """What is wrong, for programs."""

    def __init__(self, message: str, *, retry_after: int | None = None, **detail: Any) -> None:
        """``retry_after`` is in seconds; ``detail`` has limits, names and positions."""
        super().__init__(message)
        self.message = message
        self.retry_after = retry_after
        self.detail = detail or None


class InternalError(ServiceError):
    error_type = "internal"

    def __init__(self) -> None:
        super().__init__("the service failed; its log has the details under the X-Request-ID")


class WorkerDiedError(ServiceError):
    error_type = "worker_lost"


class InvalidRequestError(ServiceError):
    """Its detail says where: ``at``, a path such as ``$.texts[2]``, or ``byte``, from 0."""

    error_type = "invalid_request"


class UnknownModelError(ServiceError):
    error_type = "model_not_found"


class TooLargeError(ServiceError):
    error_type = "too_large"


class OverloadedError(ServiceError):
    error_type = "overloaded"


class UnavailableError(ServiceError):
    """The service cannot answer now, but will soon."""


class StartingError(UnavailableError):
    error_type = "starting"

    def __init__(self, message: str = "the models are being loaded") -> None:
        super().__init__(message, retry_after=1)


class DrainingError(UnavailableError):
    error_type = "draining"

    def __init__(self) -> None:
        super().__init__("the service is shutting down", retry_after=1)


class TimedOutError(UnavailableError):
    error_type = "timeout"


class ClientGone(Exception):  # noqa: N818  (not an error: nobody is left to receive it)
    """The client left before its response was ready."""
