"""``innermost diff``: the entities of two systems in the same text, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.corpus import Report
    from innermost.evaluation.analysis.differences import Difference


class Format(str, Enum):
    pretty = "pretty"
    html = "html"
    jsonl = "jsonl"


@reads_corpora
def diff(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A model, a file of predictions, or `gold`.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="The same, to compare with.")],
    items: Annotated[
        list[str],
        typer.Argument(metavar="TEXT|DATA", help="Texts, files of text, or annotated data."),
    ],
    *,
    reading: ReadingOptions,
    format: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = (
        Format.pretty
    ),
    output: Annotated[str, typer.Option("--output", "-o", help="A file to write.")] = "-",
    all: Annotated[bool, typer.Option("--all", help="Show texts without a difference too.")] = (
        False
    ),
    limit: Annotated[int, typer.Option(min=1, help="Show at most N texts.")] = 100,
    layer: Annotated[
        str | None, typer.Option(help="The layer of annotation, for models with several.")
    ] = None,
) -> None:
    """Draw the entities of two models, or of a model and the gold data; differences stand out.

    `gold` is the annotation in the data. With two systems on annotated data, each difference is
    marked as right or wrong.

    Examples: `innermost diff genia litbank "The mayor of Ghent spoke."`,
    `innermost diff genia gold test.jsonl --format html --output diff.html`
    """
    from innermost.cli.shared.output import note, show_report
    from innermost.cli.shared.systems import note_tokenizer
    from innermost.corpus import Report
    from innermost.evaluation.analysis.differences import GOLD, DifferenceCounts
    from innermost.evaluation.results import names

    report = Report()
    labels = names([first, second])
    counts = DifferenceCounts()
    shown: list[Difference] = []
    left_out = 0
    for difference in _differences([first, second], items, reading, report, layer):
        counts.add(difference)
        if difference or all:
            left_out += len(shown) == limit
            shown += [difference] if len(shown) < limit else []
    _write(shown, labels, format, output, counts.summary(labels))
    if left_out:
        note(f"{left_out:,} more are not shown: --limit {limit + left_out} shows all")
    note_tokenizer([system for system in (first, second) if system != GOLD], reading, report)
    show_report(report)


def _differences(
    systems: Sequence[str],
    items: Sequence[str],
    reading: ReadingOptions,
    report: Report,
    layer: str | None,
) -> Iterator[Difference]:
    from innermost.cli.shared.progress import counted
    from innermost.cli.shared.systems import reading_for
    from innermost.evaluation.analysis.differences import GOLD, corpus_differences, text_differences
    from innermost.evaluation.systems import read_gold
    from innermost.files.source import Source, plain_name
    from innermost.prediction.inputs import TEXT

    measured = [system for system in systems if system != GOLD]
    texts: list[str] = []
    for item in items:
        if not _is_file(item):
            texts.append(item)
        elif reading.format == TEXT or plain_name(item).endswith(".txt"):
            texts += [line for _, line in Source(item).text_lines() if line.strip()]
        else:
            how = reading_for(measured, reading)
            sentences = read_gold(item, measured, how, report, layer=layer)
            counted_sentences = counted(sentences, f"reading {Path(item).name}")
            yield from corpus_differences(systems, counted_sentences, layer=layer)
    if texts:
        yield from text_differences(systems, texts, layer=layer, tokenizer=reading.tokenizer)


def _is_file(item: str) -> bool:
    """Whether it is a file; a missing file is an error, not a text."""
    from innermost.errors import UsageError

    try:
        if Path(item).exists():
            return True
    except OSError:  # too long for a name
        return False
    if not any(character.isspace() for character in item) and ("/" in item or Path(item).suffix):
        raise UsageError(f"no such file: {item}", hint="a text of one word needs a space after it")
    return False


def _write(
    shown: Sequence[Difference], names: Sequence[str], format: Format, output: str, summary: str
) -> None:
    from innermost.files.source import open_output

    parts: Iterable[bytes]
    if format is Format.html:
        from innermost.evaluation.report.diff import page

        parts = [page(shown, names, f"{names[0]} and {names[1]}", [summary]).encode()]
    elif format is Format.jsonl:
        import msgspec

        encode = msgspec.json.Encoder().encode
        parts = (encode(difference.to_dict(names)) + b"\n" for difference in shown)
    else:
        parts = _pretty(shown, names, summary, to_file=output != "-")
    with open_output(output) as sink:
        for part in parts:
            sink.write(part)


def _pretty(
    shown: Sequence[Difference], names: Sequence[str], summary: str, *, to_file: bool
) -> Iterator[bytes]:
    from innermost.prediction.outputs import drawing_console
    from innermost.rendering.columns import draw_pair

    console = drawing_console(to_file=to_file)
    types = sorted({span.label for d in shown for side in d.sides for span in side})
    for difference in shown:
        with console.capture() as captured:
            doc = f", {difference.doc}" if difference.doc else ""
            console.print(f"{difference.number:,}{doc}", style="dim", markup=False, highlight=False)
            sides = difference.boxes()
            for line in draw_pair(difference.text, sides, names, types, console.width):
                console.print(line, soft_wrap=True)
            console.print()
        yield captured.get().encode(errors="replace")
    yield f"{summary}\n".encode()
