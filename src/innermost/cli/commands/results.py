"""``innermost results``: one page from the tables of several reproductions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def results(
    description: Annotated[
        Path, typer.Argument(help="Description of the page (TOML): text, folders, tables.")
    ],
    out: Annotated[Path, typer.Option(help="Markdown file to write.")],
) -> None:
    """Combine tables that `innermost reproduce` has written into one page.

    Example: `innermost results benchmarks/results.toml --out docs/results.md`
    """
    from innermost.cli.shared.output import note
    from innermost.files.atomic import write_atomically
    from innermost.reproduction.page import results_page

    write_atomically(out, results_page(description).encode())
    note(f"wrote {out}")
