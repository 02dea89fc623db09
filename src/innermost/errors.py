"""Every error that a user can see. Each says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_FEW = 3
"""The number of problems with the same message that are still listed one by one."""


class InnermostWarning(UserWarning):
    """Something unusual that does not stop the work."""


class InnermostError(Exception):
    """The base of all errors caused by the input or the user rather than a bug."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  {self.hint}" if self.hint else self.message


def place(path: str | None, line: int | None) -> str:
    """The start of a message about a file: ``train.jsonl:3:``."""
    shown = "standard input" if path == "-" else path
    return "".join(f"{part}:" for part in (shown, line) if part is not None)


class DataError(InnermostError):
    """A file that does not follow its format."""

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

    @property
    def problems(self) -> Sequence[DataError]:
        """The individual problems: itself, or all bad records of a file."""
        return (self,)

    @property
    def count(self) -> int:
        return 1

    def __str__(self) -> str:
        prefix = place(self.path, self.line)
        return f"{prefix} {super().__str__()}" if prefix else super().__str__()


class BadRecordError(DataError):
    """A single record that cannot be read, which could be left out."""

    @classmethod
    def of(cls, problem: DataError) -> BadRecordError:
        return cls(problem.message, path=problem.path, line=problem.line, hint=problem.hint)

    def __str__(self) -> str:
        return f"{super().__str__()}\n  {_remedy('it')}"


class BadRecordsError(DataError):
    """Several records that cannot be read, listed together."""

    shown = 20

    def __init__(self, problems: Sequence[DataError], count: int) -> None:
        """``count`` is the total number, ``problems`` are the first of them."""
        first = problems[0]
        super().__init__(
            f"{count:,} bad records",
            path=first.path,
            line=first.line,
            hint=_remedy("them"),
        )
        self._problems = tuple(problems)
        self._count = count

    def __reduce__(self) -> tuple[type, tuple[Sequence[DataError], int]]:
        return type(self), (self._problems, self._count)

    @property
    def problems(self) -> Sequence[DataError]:
        return self._problems

    @property
    def count(self) -> int:
        return self._count

    def __str__(self) -> str:
        lines = [f"{self.message}:"]
        rest = self._count
        for problems in _alike(self._problems)[: self.shown]:
            lines += [f"  {line}" for line in _summary(problems).split("\n")]
            rest -= len(problems)
        if rest > 0:
            lines.append(f"  ... and {rest:,} more")
        return "\n".join([*lines, f"  {self.hint}"])


def _remedy(records: str) -> str:
    return (
        f"correct {records}, or leave {records} out with --skip-bad "
        "(Python: Options(skip_bad=True))"
    )


def _alike(problems: Sequence[DataError]) -> list[list[DataError]]:
    """The problems; more than a few with the same message are together."""
    equal: dict[tuple[str, str | None], list[DataError]] = {}
    for problem in problems:
        equal.setdefault((problem.message, problem.hint), []).append(problem)
    groups: list[list[DataError]] = []
    for group in equal.values():
        groups += [group] if len(group) > _FEW else [[problem] for problem in group]
    return groups


def _summary(problems: Sequence[DataError]) -> str:
    """One problem, or several with the same message."""
    first = problems[0]
    if len(problems) == 1:
        return str(first)
    where = ":".join(str(part) for part in (first.path, first.line) if part is not None)
    place = f" (first: {where})" if where else ""
    message = f"{len(problems):,} records: {first.message}{place}"
    return f"{message}\n  {first.hint}" if first.hint else message


class UsageError(InnermostError):
    """A command or a function called the wrong way."""

    exit_code = 2


class OutputError(InnermostError):
    """A file or folder that cannot be written: no space, no permission."""


class ConfigError(UsageError):
    """A configuration with a wrong key or value."""


class ModelError(InnermostError):
    """A model folder that cannot be used."""


class ResourceError(InnermostError):
    """Memory or threads that the system refused. The model and the data may be fine."""


class CheckpointError(InnermostError):
    """A training checkpoint that is damaged or belongs to another run."""


class TrainingError(InnermostError):
    """Failed training: a loss that is not a number, a model that finds nothing."""


class LostConnectionError(TrainingError):
    """Another process of the same training ended or cannot be reached."""


class MissingExtraError(UsageError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str, package: str | None = None) -> None:
        missing = f"the package {package}, which is" if package else "a package that is"
        cpu = "; without a GPU, install the CPU build of torch first (see pytorch.org)"
        super().__init__(
            f"{feature} needs {missing} not installed",
            hint=f"pip install 'innermost[{extra}]'{cpu if package == 'torch' else ''}",
        )
