"""The list of commands. Each is imported only when it is called, so that starting is fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
import typer.core

COMMANDS = [
    "predict",
    "train",
    "pretrain",
    "evaluate",
    "compare",
    "check",
    "stats",
    "convert",
    "export",
    "serve",
    "models",
    "bench",
    "reproduce",
    "results",
]


class LazyGroup(typer.core.TyperGroup):
    """Looks a command up in ``innermost.cli.commands.<name>`` when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return COMMANDS

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"innermost.cli.commands.{cmd_name}")
        found = getattr(module, cmd_name)
        if isinstance(found, typer.Typer):
            return typer.main.get_command(found)
        single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        single.command(cmd_name)(found)
        return typer.main.get_command(single)


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    help="Nested named entity recognition.",
)


@app.callback()
def _root() -> None:
    """Finds names inside names: predict, train, measure, and look at the data first."""
