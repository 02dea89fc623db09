"""``innermost stats``: statistics of a corpus, as in the paper's Table 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from rich.console import Console


@reads_corpora
def stats(
    data: Annotated[list[str], typer.Argument(metavar="DATA...", help="Files or folders.")],
    reading: ReadingOptions,
    json: Annotated[bool, typer.Option("--json", help="Print JSON: one object per file.")] = False,
) -> None:
    """Count documents, sentences, tokens and mentions, by level and by type.

    Exact duplicates count as often as they occur; --json also has counts with duplicates merged.

    Example: `innermost stats train.jsonl dev.jsonl test.jsonl`
    """
    from innermost.cli.shared.output import print_json, show_report, stdout_console
    from innermost.cli.shared.progress import counted
    from innermost.corpus import Report
    from innermost.corpus.quality.statistics import statistics
    from innermost.corpus.reading import read_corpus

    report = Report()
    reading = reading.shared_by(data)
    figures = {
        path: statistics(counted(read_corpus(path, reading, report), f"reading {path}")).to_dict()
        for path in data
    }
    if json:
        print_json(figures)
    else:
        _show(figures, stdout_console())
    show_report(report)


def _show(figures: dict[str, dict[str, Any]], console: Console) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for path in figures:
        table.add_column(escape(path.rsplit("/", 1)[-1]), justify="right", overflow="fold")
    columns = list(figures.values())

    def row(name: str, values: list[str], *, style: str | None = None) -> None:
        table.add_row(escape(name), *values, style=style)

    def counts(name: str, key: str) -> None:
        row(name, [f"{c[key]:,}" for c in columns])

    counts("documents", "documents")
    counts("sentences", "sentences")
    counts("  with entities", "sentences_with_entities")
    counts("  with nested entities", "sentences_with_nesting")
    counts("tokens", "tokens")
    counts("mentions", "mentions")
    for index in range(max((len(c["levels"]) for c in columns), default=0)):
        row(f"  level {index + 1}", [_part(c, index) for c in columns])
    for label in sorted({label for c in columns for label in c["types"]}):
        row(f"  {label}", [_part_of_type(c, label) for c in columns])
    row("labels per token (d)", [_decimal(c["labels_per_token"]) for c in columns])
    row("tokens per sentence (mean)", [_decimal(c["sentence_lengths"]["mean"], 1) for c in columns])
    row("  99% have at most", [_number(c["sentence_lengths"]["p99"]) for c in columns])
    row("  longest", [_number(c["sentence_lengths"]["max"]) for c in columns])
    row("tokens per entity (mean)", [_decimal(c["entity_lengths"]["mean"], 1) for c in columns])
    row("  99% have at most", [_number(c["entity_lengths"]["p99"]) for c in columns])
    row("  longest", [_number(c["entity_lengths"]["max"]) for c in columns])
    counts("inside another type", "inside_another_type")
    counts("same words, two types", "same_stretch_two_types")
    counts("exact duplicates", "duplicates")
    counts("crossing, same type", "crossings")
    counts("crossing, two types", "crossings_of_two_types")
    row("fingerprint", [c["fingerprint"] for c in columns], style="dim")
    console.print(table)


def _part(figures: dict[str, Any], index: int) -> str:
    count = figures["levels"][index] if index < len(figures["levels"]) else 0
    return _share(count, figures["mentions"])


def _part_of_type(figures: dict[str, Any], label: str) -> str:
    count = figures["types"].get(label, {"mentions": 0})["mentions"]
    return _share(count, figures["mentions"])


def _share(count: int, total: int) -> str:
    return f"{count:,} ({count / total:4.0%})" if total else f"{count:,}"


def _decimal(value: float | None, places: int = 2) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
