"""``innermost predict``: nested entities in text."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from innermost.cli.shared.bulk_options import BulkOptions, predicts_many_files
from innermost.cli.shared.reading_options import reads_texts
from innermost.cli.shared.type_names import type_names
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.prediction.foreign_words import ForeignWords
    from innermost.prediction.inputs import InputOptions
    from innermost.prediction.outputs import Writer
    from innermost.runtime.model import Model

_EXAMPLE = 'innermost predict "She studied at the University of Oxford."'


@predicts_many_files
@reads_texts
def predict(
    ctx: typer.Context,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="One or more texts to annotate.")
    ] = None,
    input: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="A file, a folder or a pattern; - for standard input. Repeatable.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="An installed model's name, or a folder.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="Output format: pretty, jsonl, json, html, svg, csv, tsv, parquet, iob, brat, or "
            "another corpus format (default: by the name of the output).",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A file to write; for brat, a folder.")
    ] = "-",
    whole: Annotated[
        bool | None,
        typer.Option(
            "--whole/--lines",
            help="A plain-text file is one text, or one text per line (default: per line, unless "
            "the lines are hard-wrapped).",
        ),
    ] = None,
    split: Annotated[
        bool, typer.Option("--split/--no-split", help="Split texts into sentences.")
    ] = True,
    types: Annotated[
        str | None, typer.Option(metavar="TYPE,TYPE", help="Find only these types.")
    ] = None,
    layer: Annotated[
        str | None, typer.Option(help="The layer of annotation, for a model with several.")
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(min=1, help="Levels of each type; 1: outermost only.")
    ] = None,
    min_score: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORE|TYPE=SCORE",
            help="Drop entities with a lower score, for all types or one. Begin low, such as 0.2: "
            "an inner entity never scores higher than the one of its type around it. Repeatable.",
        ),
    ] = None,
    text_column: Annotated[
        str, typer.Option(help="The column or key of the texts, in tables and JSON lines.")
    ] = "text",
    id_column: Annotated[str, typer.Option(help="The column or key of the document ids.")] = "id",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads (default: all).")] = None,
    device: Annotated[
        str, typer.Option(help="cpu, or cuda for a GPU (needs the package onnxruntime-gpu).")
    ] = "cpu",
    *,
    reading: ReadingOptions,
    bulk: BulkOptions,
) -> None:
    """Find nested entities at every depth, each with its type and probability.

    Every text, line or record of the input becomes one of the output, with its name and all its
    keys. Standard input is read line by line, and results are written immediately.

    With --jobs or --resume, every input file becomes a file in the folder --output, and rows that
    cannot be predicted are listed in its `rejects.jsonl`.

    Example: `innermost predict "She studied at the University of Oxford."`

    Example: `innermost predict --input 'in/*.parquet' --output out/ --jobs 8 --resume`
    """
    from innermost.cli.shared.given_options import READING, refuse_options
    from innermost.cli.shared.output import show_report
    from innermost.corpus import Report
    from innermost.errors import UsageError
    from innermost.files.atomic import refuse_input_as_output
    from innermost.prediction.foreign_words import ForeignWords
    from innermost.prediction.inputs import InputOptions, expand_paths, text_records
    from innermost.prediction.outputs import Writer, check_destination, choose_format
    from innermost.runtime import load

    files = _files(texts, input)
    if not texts and not files and sys.stdin is not None and sys.stdin.isatty():
        raise UsageError("nothing to read", hint=f"pass a text: {_EXAMPLE}")
    loading: dict[str, Any] = {
        "threads": threads,
        "max_depth": max_depth,
        "min_score": _scores(min_score),
        "types": type_names(types),
        "layer": layer,
        "sentences": split,
        "tokenizer": reading.tokenizer,
        "device": device,
    }
    if bulk.chosen:
        refuse_options(
            ctx, (*READING, "--whole", "--lines"), "has no effect with --jobs or --resume"
        )
        if not files:
            raise UsageError("a run over many files needs --input", hint="files, folders, patterns")
        from innermost.cli.shared.bulk_prediction import predict_many_files

        predict_many_files(
            files,
            output,
            format,
            bulk,
            text_column=text_column,
            id_column=id_column,
            model=model,
            **loading,
        )
        return
    refuse_options(ctx, ("--max-row-bytes",), "needs --jobs or --resume")
    format = choose_format(format, output)
    check_destination(format, output)
    paths = expand_paths(files or ["-"])
    refuse_input_as_output(output, *paths)
    nlp = load(model, **loading)
    report = Report()
    tokenizer = nlp.tokenizer.name
    writer = Writer(format, output, nlp.name, tokenizer, report, sections=len(paths) > 1)
    foreign = ForeignWords(nlp)
    if texts and not files:
        _notice_names(texts)
        records = list(text_records(texts))
        found = list(zip(records, nlp([record.item for record in records]), strict=True))
        writer.write(foreign.watch([found]))
    else:
        columns = {"text": text_column, "id": id_column}
        options = InputOptions.of_columns(reading, tokenizer, columns, whole=whole)
        _stream(paths, options, nlp, writer, foreign)
    show_report(report.only("lost", "skipped", "note"))
    _summarize(writer, nlp, _filters(loading))
    _notice_language(nlp, foreign)


def _stream(
    paths: Sequence[str],
    options: InputOptions,
    nlp: Model,
    writer: Writer,
    foreign: ForeignWords,
) -> None:
    """Predict on input as it arrives. After Ctrl-C, a stream ends with the items already started;
    a file is not written."""
    from innermost.cli.shared.output import note
    from innermost.cli.shared.progress import counted
    from innermost.cli.shared.streaming import INTERRUPTED, Arriving, stopped_by_interrupt
    from innermost.cli.streams import leave
    from innermost.prediction.inputs import count_records, read_records

    records = read_records(paths, options, writer.report)
    is_file = writer.path != "-"
    if is_file:
        records = counted(records, "predicting", total=count_records(paths, options))
    stream = Arriving(records)
    try:
        with nullcontext() if is_file else stopped_by_interrupt(stream):
            runs = (
                list(zip(run, nlp.pipe(record.item for record in run), strict=True))
                for run in stream
            )
            writer.write(foreign.watch(runs))
    except BrokenPipeError:  # do not wait for the reading thread: its input may never come
        leave(0)
    except KeyboardInterrupt:
        if is_file:
            note(f"stopped: {writer.path} was not written")
        leave(INTERRUPTED)
    if stream.stopped:
        leave(INTERRUPTED)


def _notice_language(nlp: Model, foreign: ForeignWords) -> None:
    from innermost.cli.shared.output import note
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import installed

    if foreign.share is None:
        return
    others = [name for name, folder in installed().items() if len(read_info(folder).languages) > 1]
    hint = f"; if it is another language, try --model {others[0]}" if others else ""
    note(f"{foreign.share:.0%} of the words are unknown to {nlp.name}{hint}")


def _notice_names(texts: Sequence[str]) -> None:
    """Say so where a text is more likely a file or a model, which have options of their own."""
    from innermost.cli.shared.output import note
    from innermost.model_folder.installed import installed

    for text in texts:
        if _exists(text):
            note(f"{text!r} is read as a text; to read the file: --input {text}")
        elif text in installed():
            note(f"{text!r} is read as a text; to use the model: --model {text}")


def _files(texts: Sequence[str] | None, input: Sequence[str] | None) -> list[str]:
    """The files to read. A shell turns ``-i *.txt`` into one option and further arguments."""
    from innermost.errors import UsageError

    if not texts or not input:
        return list(input or ())
    if not all(_exists(text) for text in texts):
        raise UsageError("both TEXT and --input are given", hint="choose one of them")
    return [*input, *texts]


def _exists(text: str) -> bool:
    """Whether there is a file with this name; a text can be too long for one."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _scores(values: Sequence[str] | None) -> float | dict[str, float]:
    """``["0.5"]`` as a number, ``["PER=0.6"]`` as a mapping."""
    from innermost.errors import UsageError

    scores: dict[str, float] = {}
    for value in values or ():
        label, _, number = value.rpartition("=")
        try:
            scores[label] = float(number)
        except ValueError:
            raise UsageError(
                f"--min-score {value}: not a score", hint="e.g. --min-score 0.5 or PER=0.6"
            ) from None
    if "" in scores and len(scores) > 1:
        raise UsageError(
            "--min-score is given for all types and for some", hint="give one or the other"
        )
    return scores.get("", scores) if scores else 0.0


def _filters(loading: Mapping[str, Any]) -> list[str]:
    """What the options demand of entities, in words."""
    types, scores = loading["types"], loading["min_score"]
    demanded = [] if types is None else [f"of the types {', '.join(types)} (--types)"]
    if isinstance(scores, Mapping):
        listed = ", ".join(f"{label} {score:g}" for label, score in scores.items())
        demanded.append(f"with the scores of --min-score or more: {listed}")
    elif scores:
        demanded.append(f"with a score of {scores:g} or more (--min-score)")
    return demanded


def _summarize(writer: Writer, nlp: Model, filters: Sequence[str]) -> None:
    """Report what was written; if nothing was found, by which filters, or which types there are.

    It is an error if there were records, but none could be read.
    """
    from innermost.cli.shared.output import note
    from innermost.errors import DataError
    from innermost.model_folder.installed import installed
    from innermost.plurals import count

    if writer.path != "-":
        entities = count(writer.entities, "entity", "entities")
        counts = f"{count(writer.texts, 'text')}, {entities}"
        note(f"{writer.path} ({writer.format}): {counts}, found by {nlp.name}")
    if writer.report.counts["changed", "scores"]:
        scores = count(writer.entities, "score")
        note(f"dropped: {scores}, which the format {writer.format} cannot store; jsonl can")
    if not writer.texts and writer.report.total("skipped"):
        raise DataError("no texts: every record was skipped")
    if not writer.texts:
        note("no texts: the input is empty")
    if writer.texts and not writer.entities and filters:
        note(f"no entities {' '.join(filters)}")
    elif writer.texts and not writer.entities:
        others = [name for name in installed() if name != nlp.name]
        more = f"; also installed: {', '.join(others)} (--model)" if others else ""
        note(f"no entities: {nlp.name} finds {', '.join(nlp.types)}{more}")
