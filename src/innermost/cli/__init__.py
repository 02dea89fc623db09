"""The command line: one file per command, each with a function that does the work elsewhere."""

from __future__ import annotations

import sys

from innermost.errors import InnermostError


def main() -> None:
    """Run the command line; an error of the user's is a message and an exit code, not a trace."""
    from innermost.cli.app import app

    try:
        app()
    except InnermostError as error:
        from rich.console import Console

        Console(stderr=True, highlight=False, soft_wrap=True).print("[bold red]error:[/] ", end="")
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
