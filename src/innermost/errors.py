"""Every error a user can meet. Each says what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class InnermostWarning(UserWarning):
    """Something odd that does not stop the work."""


class InnermostError(Exception):
    """The base of all errors that are the input's or the user's, not a bug."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


class DataError(InnermostError):
    """A file that does not say what its format requires."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.path = None if path is None else str(path)
        self.line = line

    def __str__(self) -> str:
        where = [part for part in (self.path, self.line) if part is not None]
        prefix = "".join(f"{part}:" for part in where)
        return f"{prefix} {super().__str__()}" if prefix else super().__str__()


class UsageError(InnermostError):
    """A command or a function called the wrong way."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration with a wrong key or value."""


class ModelError(InnermostError):
    """A model folder that cannot be used."""


class CheckpointError(InnermostError):
    """A training checkpoint that is damaged or belongs to another run."""


class MissingExtraError(UsageError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs a package that is not installed",
            hint=f"pip install 'innermost[{extra}]'",
        )
