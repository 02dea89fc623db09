"""How much commands print in addition to their results: ``-q`` and ``-v``, for all of them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

QUIET, NORMAL, VERBOSE = -1, 0, 1
_level = NORMAL


def set_verbosity(level: int) -> None:
    """Set the verbosity of the whole process."""
    global _level
    _level = level


def is_quiet() -> bool:
    return _level == QUIET


def is_verbose() -> bool:
    return _level == VERBOSE


def verbosity_options() -> list[Any]:
    """The options, as parameters to add to a command; the command itself does not receive them."""
    carrier = typer.Typer(add_completion=False)
    carrier.command()(_options)
    parameters: list[Any] = list(typer.main.get_command(carrier).params)
    for parameter in parameters:
        parameter.expose_value = False
    return parameters


def _be_quiet(chosen: bool) -> None:
    if chosen:
        set_verbosity(QUIET)


def _be_verbose(chosen: bool) -> None:
    if chosen:
        set_verbosity(VERBOSE)


def _options(
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", callback=_be_quiet, help="Print only results and errors."),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", callback=_be_verbose, help="Print tracebacks of errors."),
    ] = False,
) -> None: ...
