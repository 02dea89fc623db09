"""Refuse options that were given although they have no effect."""

from __future__ import annotations

from collections.abc import Collection

import typer

from innermost.errors import UsageError

READING = ("--from", "--set", "--inside-token", "--skip-bad", "--rename")
"""The options for reading a corpus, apart from the tokenizer, which also splits plain text."""


def refuse_options(
    ctx: typer.Context, options: Collection[str], why: str, *, hint: str | None = None
) -> None:
    """An error if one of ``options`` is on the command line; ``why`` it does not apply."""
    for parameter in ctx.command.params:
        names = [*parameter.opts, *parameter.secondary_opts]
        source = ctx.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE" and set(options) & set(names):
            raise UsageError(f"{names[0]} {why}", hint=hint)
