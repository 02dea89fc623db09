"""Options that the commands on corpora share, and how they show what was reported."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from innermost.corpus.report import Report
from innermost.errors import UsageError

Format = Annotated[
    str | None, typer.Option("--from", help="Their format, if it is not to be guessed.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting for reading; repeatable."),
]
Tokenizer = Annotated[
    str,
    typer.Option(help="For formats of raw text: how to make tokens (unicode, whitespace, ...)."),
]
InsideToken = Annotated[
    str, typer.Option(help="A span that ends inside a token: split it, widen the span, or error.")
]

_SHOWN = 5


def settings_of(pairs: Iterable[str] | None) -> dict[str, str]:
    """``["a=b"]`` as ``{"a": "b"}``."""
    settings: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"not a setting: {pair!r}", hint="--set key=value")
        settings[key] = value
    return settings


def report_as_json(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "what": what,
            "count": count,
            "examples": [
                {"path": e.path, "line": e.line, "detail": e.detail}
                for e in report.examples
                if (e.kind, e.what) == (kind, what)
            ],
        }
        for (kind, what), count in report.counts.items()
    ]


def show_report(report: Report, console: Console) -> None:
    """Each case with its count and a few examples; what matters most comes first."""
    styles = {"error": "bold red", "lost": "bold red", "warning": "yellow", "changed": "yellow"}
    order = list(styles)
    cases = sorted(
        report.counts.items(), key=lambda c: order.index(c[0][0]) if c[0][0] in order else 9
    )
    for (kind, what), count in cases:
        style = styles.get(kind, "dim")
        console.print(f"[{style}]{kind}[/]: {escape(what)} ([bold]{count:,}[/])")
        examples = [e for e in report.examples if (e.kind, e.what) == (kind, what)]
        for event in examples[:_SHOWN]:
            where = "".join(f"{part}:" for part in (event.path, event.line) if part is not None)
            console.print(f"  {escape(where)} {escape(event.detail)}".rstrip(), style="dim")
        if count > len(examples[:_SHOWN]):
            console.print(f"  ... and {count - len(examples[:_SHOWN]):,} more", style="dim")
