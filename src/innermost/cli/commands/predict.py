"""``innermost predict``: nested entities in text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from innermost.cli.shared.bulk_options import BulkOptions, predict_many_files, predicts_many_files
from innermost.cli.shared.reading_options import reads_corpora
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.cli.shared.prediction_input import Input
    from innermost.document import Document
    from innermost.runtime.model import Model

    Runs = Iterator[list[tuple[Input, Document]]]

_INTERRUPTED = 130


class Format(str, Enum):
    pretty = "pretty"
    jsonl = "jsonl"
    html = "html"
    svg = "svg"
    brat = "brat"
    iob = "iob"
    parquet = "parquet"


@predicts_many_files
@reads_corpora
def predict(
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="Texts, one an argument.")
    ] = None,
    input: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", metavar="FILE", help="A file to read; - for stdin. Repeatable."
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="An installed model's name, or a folder.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", "-f", help="How to show it.")] = (
        Format.pretty
    ),
    output: Annotated[
        str, typer.Option("--output", "-o", help="A file (for brat a folder) to write.")
    ] = "-",
    *,
    reading: ReadingOptions,
    bulk: BulkOptions,
    whole: Annotated[
        bool, typer.Option("--whole", help="A plain text file is one text, not each of its lines.")
    ] = False,
    max_depth: Annotated[
        int | None, typer.Option(min=1, help="Levels of each type; 1 is the outermost only.")
    ] = None,
    min_score: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Leave out what is less probable.")
    ] = 0.0,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads; all if not given.")] = (
        None
    ),
) -> None:
    """Find names inside names: every entity at every depth, with its type and probability.

    Plain text (.txt files, standard input) is read line by line, each line one text, and answered
    as it arrives. Files in a corpus format keep their own tokens.

    With --jobs or --resume, every input file becomes a file in the folder --output, and rows that
    cannot be predicted are listed in its `rejects.jsonl`.

    Example: `innermost predict "The mayor of Ghent spoke."`

    Example: `innermost predict --input 'in/*.parquet' --output out/ --jobs 8 --resume`
    """
    from innermost.cli.shared.output import show_report
    from innermost.cli.shared.streaming import Arriving, stopped_by_interrupt
    from innermost.corpus import Report
    from innermost.errors import UsageError
    from innermost.runtime import load

    if texts and input:
        raise UsageError("both TEXT and --input are given", hint="choose one of them")
    if not texts and not input and sys.stdin.isatty():
        raise UsageError(
            "nothing to read", hint='give a text: innermost predict "The mayor of Ghent spoke."'
        )
    if bulk.chosen:
        if texts or not input:
            raise UsageError("a run over many files needs --input", hint="files, folders, patterns")
        predict_many_files(
            input,
            output,
            None if format is Format.pretty else format.value,
            bulk,
            model=model,
            threads=threads,
            max_depth=max_depth,
            min_score=min_score,
        )
        return
    if format is Format.parquet:
        raise UsageError("Parquet is written to a folder", hint="add --jobs and --output FOLDER")
    if format is Format.brat and output == "-":
        raise UsageError("brat is a folder of files", hint="say where: --output FOLDER")
    nlp = load(model, threads=threads, max_depth=max_depth, min_score=min_score)
    report = Report()
    items: Iterator[Input]
    if texts:
        items = _well_formed(texts)
    else:
        from innermost.cli.shared.prediction_input import read_inputs

        reading = reading.with_tokenizer(nlp.tokenizer.name)
        items = read_inputs(input or ["-"], reading, report, whole=whole)
    if output != "-":
        from innermost.cli.shared.progress import counted

        items = counted(items, "predicting")
    stream = Arriving(items)
    try:
        with stopped_by_interrupt(stream):
            runs = (list(zip(run, nlp.pipe(run), strict=True)) for run in stream)
            _write(runs, format, output, nlp)
            show_report(report)
    except BrokenPipeError:
        _leave(0)
    except KeyboardInterrupt:
        _leave(_INTERRUPTED)
    if stream.stopped:
        _leave(_INTERRUPTED)


def _well_formed(texts: Iterable[str]) -> Iterator[str]:
    """Arguments may hold bytes that are no text; they are found out here, not when written."""
    from innermost.errors import UsageError

    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise UsageError(f"the text {text!r} is not UTF-8") from None
        yield text


def _write(runs: Runs, format: Format, output: str, nlp: Model) -> None:
    from innermost.files.source import open_output

    if format in (Format.brat, Format.iob):
        _write_corpus(runs, format, output, nlp.tokenizer.name)
        return
    from innermost.cli.shared.prediction_output import writer

    write = writer(format.value, to_file=output != "-", model=nlp.folder.name)
    with open_output(output) as sink:
        for part in write([(_name(item), document) for item, document in run] for run in runs):
            sink.write(part)
            sink.flush()


def _name(item: Input) -> str | None:
    """Of the document that a text is from, where it is known."""
    return None if isinstance(item, str) else item.doc


def _write_corpus(runs: Runs, format: Format, output: str, tokenizer: str) -> None:
    from innermost.cli.shared.output import show_report
    from innermost.cli.shared.prediction_input import annotated
    from innermost.corpus import Options, Report, write

    report = Report()
    pairs = (pair for run in runs for pair in run)
    write(
        annotated(pairs, tokenizer),
        output,
        format="columns" if format is Format.iob else "brat",
        options=Options(tokenizer=tokenizer),
        report=report,
    )
    if report.total("lost"):
        show_report(report)


def _leave(code: int) -> NoReturn:
    """Exit at once: the thread that reads may wait for input that never comes."""
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    os._exit(code)
