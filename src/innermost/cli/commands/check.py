"""``innermost check``: find what is wrong or suspicious in data before training."""

from __future__ import annotations

from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.corpus.reading import ReadingOptions


@reads_corpora
def check(
    data: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="The splits, the training data first.")
    ],
    reading: ReadingOptions,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the check too.")] = False,
    all: Annotated[bool, typer.Option("--all", help="List every finding.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look for errors (bad lines, spans outside the text) and for anything suspicious.

    Duplicates, crossings, sentences in two splits, rare and missing types, lengths, Unicode forms,
    likely annotation errors. Errors fail the check; warnings only with --strict.

    Example: `innermost check train.jsonl dev.jsonl test.jsonl`
    """
    from innermost.cli.shared.output import print_json, report_as_json, show_report, stdout_console
    from innermost.cli.shared.progress import counted
    from innermost.corpus.quality.checks import check as run
    from innermost.plurals import count

    reading = reading.shared_by(data)
    findings = run(data, format=reading.format, options=reading.options, all=all, watch=counted)
    errors, warnings = findings.total("error"), findings.total("warning")
    if json:
        findings_json = report_as_json(findings)
        print_json({"errors": errors, "warnings": warnings, "findings": findings_json})
    else:
        console = stdout_console()
        if all:
            show_report(findings, console, most=None)
        else:
            show_report(findings, console, hint="--all lists them")
        console.print(f"[bold]{count(errors, 'error')}, {count(warnings, 'warning')}[/]")
    if errors or (strict and warnings):
        raise typer.Exit(1)
