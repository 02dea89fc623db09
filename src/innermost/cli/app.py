"""The list of commands. Each is imported only when it is called, for a fast start."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.core

from innermost.cli.shared.verbosity import NORMAL, set_verbosity, verbosity_options
from innermost.errors import UsageError

COMMANDS = [
    "predict",
    "train",
    "suggest",
    "pretrain",
    "annotate",
    "evaluate",
    "compare",
    "diff",
    "check",
    "stats",
    "convert",
    "export",
    "package",
    "serve",
    "models",
    "doctor",
    "card",
    "bench",
    "reproduce",
    "results",
]


class LazyGroup(typer.core.TyperGroup):
    """Looks a command up in ``innermost.cli.commands.<name>`` on demand."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [_without_type(parameter) for parameter in super().get_params(ctx)]

    def list_commands(self, ctx: Any) -> list[str]:
        return COMMANDS

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], COMMANDS, n=1)
            raise UsageError(
                f"unknown command {args[0]!r}",
                hint=f"did you mean {close[0]!r}?"
                if close
                else f"one of: {', '.join(COMMANDS)}; `innermost --help` describes them",
            )
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"innermost.cli.commands.{cmd_name}")
        command = getattr(module, cmd_name)
        if isinstance(command, typer.Typer):
            return _finished(typer.main.get_command(command), ctx)
        single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        single.command(cmd_name)(command)
        return _finished(typer.main.get_command(single), ctx)


def _finished(command: Any, ctx: Any) -> Any:
    """Add what all commands share: ``-q``, ``-v``, and flags that take no value."""
    for inner in getattr(command, "commands", {}).values():
        _finished(inner, ctx)
    if not getattr(command, "commands", {}):
        command.params += verbosity_options()
    for parameter in (*command.params, command.get_help_option(ctx) if ctx else None):
        _without_type(parameter)
    return command


def _without_type(parameter: Any) -> Any:
    """A flag without `<bool>` after its name, which it does not take."""
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    return parameter


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Nested named entity recognition.",
)


def _version(value: bool) -> None:
    if value:
        from innermost import __version__

        typer.echo(f"innermost {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Find entities inside entities: predict, train, evaluate, and check data before training."""
    set_verbosity(NORMAL)
