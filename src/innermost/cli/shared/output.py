"""The output of commands: JSON, notes on standard error, reports."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.markup import escape

from innermost.cli.shared.verbosity import is_quiet
from innermost.corpus.report import OTHER_ANNOTATION, Kind, Report
from innermost.errors import place

_SHOWN = 5
_STYLES: dict[Kind, str] = {
    "error": "bold red",
    "lost": "bold red",
    "skipped": "bold red",
    "warning": "yellow",
    "changed": "yellow",
}


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    import msgspec

    try:
        text = msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # the name of a file that is not UTF-8
        text = json.dumps(msgspec.to_builtins(value))
    sys.stdout.write(text + "\n")


def stdout_console() -> Console:
    return Console(highlight=False, emoji=False)


def stderr_console() -> Console:
    """For everything but the result; the terminal wraps long lines."""
    return Console(stderr=True, highlight=False, emoji=False, soft_wrap=True, quiet=is_quiet())


def note(text: str) -> None:
    """Print a line for the user on standard error."""
    stderr_console().print(text, markup=False)


def report_as_json(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "what": what,
            "count": number,
            "examples": [
                {"path": e.path, "line": e.line, "detail": e.detail}
                for e in report.examples
                if (e.kind, e.what) == (kind, what)
            ],
        }
        for (kind, what), number in report.counts.items()
    ]


def show_report(
    report: Report,
    console: Console | None = None,
    *,
    most: int | None = _SHOWN,
    hint: str | None = None,
) -> None:
    """Print each case with its count and a few examples, the most important first.

    Each is one line, which a terminal may wrap. Of annotation other than entities the first place
    is enough.
    ``most`` is the number of examples of a case, None for all; ``hint`` says how to see the others.
    """
    console = console or stderr_console()
    order = list(_STYLES)
    cases = sorted(
        report.counts.items(),
        key=lambda c: order.index(c[0][0]) if c[0][0] in order else len(order),
    )
    for (kind, what), number in cases:
        style = _STYLES.get(kind, "dim")
        examples = [e for e in report.examples if (e.kind, e.what) == (kind, what)]
        is_other = what in OTHER_ANNOTATION
        where = place(examples[0].path, examples[0].line) if examples else ""
        first = f", first at {where.removesuffix(':')}" if is_other and where else ""
        case = f"[{style}]{kind}[/]: {escape(what)} ([bold]{number:,}[/]){escape(first)}"
        console.print(case, soft_wrap=True)
        if is_other:
            continue
        for event in examples[:most]:
            line = f"  {place(event.path, event.line)} {event.detail}".rstrip()
            console.print(line, style="dim", markup=False, soft_wrap=True)
        if more := number - len(examples[:most]):
            rest = f"  ... and {more:,} more" + (f": {hint}" if hint else "")
            console.print(rest, style="dim", markup=False, soft_wrap=True)
