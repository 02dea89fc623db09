"""The options of ``innermost predict`` for many files."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from innermost.cli.shared.parameters import Command, option, replace_parameter

LOCAL, RAY = "local", "ray"
"""Engines."""
_PANEL = "Many files"
_LONGEST_ROW = 10_000_000


@dataclass(frozen=True, slots=True)
class BulkOptions:
    jobs: int | None
    resume: bool
    max_errors: int | None
    max_row_bytes: int
    engine: str
    address: str | None

    @property
    def chosen(self) -> bool:
        """Whether a run over many files is asked for."""
        return (
            self.jobs is not None
            or self.resume
            or self.max_errors is not None
            or self.engine != LOCAL
            or self.address is not None
        )


def predicts_many_files(command: Command) -> Command:
    """Give a command the options of a run over many files, in place of its parameter ``bulk``."""

    def build(values: Mapping[str, Any]) -> BulkOptions:
        return BulkOptions(**values)

    return replace_parameter(command, "bulk", _options(), build)


def _options() -> list[inspect.Parameter]:
    number = int | None
    return [
        _option("jobs", number, None, min=1, help="Processes; the output is a folder of files."),
        _option("resume", bool, False, "--resume", help="Continue a run that was stopped."),
        _option("max_errors", number, None, min=0, help="Stop if more rows are rejected."),
        _option("max_row_bytes", int, _LONGEST_ROW, min=1, help="Reject longer rows."),
        _option("engine", str, LOCAL, help="local, or ray for actors of a Ray cluster."),
        _option(
            "address",
            str | None,
            None,
            help="Address of a Ray cluster (default: a local one).",
        ),
    ]


def _option(name: str, kind: Any, default: Any, *names: str, **settings: Any) -> inspect.Parameter:
    described = typer.Option(*names, rich_help_panel=_PANEL, **settings)
    return option(name, Annotated[kind, described], default)
