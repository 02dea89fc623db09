"""``innermost check``: what is wrong or odd in the data, before training on it."""

from __future__ import annotations

from typing import Annotated

import typer

from innermost.cli.shared.corpus_options import Format, InsideToken, Settings, Tokenizer


def check(
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="The splits, the training data first.")
    ],
    format: Format = None,
    set_: Settings = None,
    tokenizer: Tokenizer = "unicode",
    inside_token: InsideToken = "split",
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the check too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for errors (bad lines, spans outside the text) and for oddities worth a look.

    Duplicates, crossings, sentences in two splits, rare and missing types, lengths, Unicode forms,
    likely slips of annotation. Errors fail the check; oddities do only with --strict.

    Example: `innermost check train.jsonl dev.jsonl test.jsonl`
    """
    import sys

    import msgspec
    from rich.console import Console

    from innermost.cli.shared.corpus_options import report_as_json, settings_of, show_report
    from innermost.cli.shared.progress import counted
    from innermost.corpus.format import Options
    from innermost.corpus.quality.checks import check as run

    options = Options(tokenizer, inside_token, settings_of(set_))
    findings = run(data, format=format, options=options, watch=counted)
    errors, warnings = findings.total("error"), findings.total("warning")
    if json:
        document = {"errors": errors, "warnings": warnings, "findings": report_as_json(findings)}
        sys.stdout.write(msgspec.json.encode(document).decode() + "\n")
    else:
        console = Console(highlight=False, soft_wrap=True)
        show_report(findings, console)
        console.print(f"[bold]{errors:,} errors, {warnings:,} warnings[/]")
    if errors or (strict and warnings):
        raise typer.Exit(1)
