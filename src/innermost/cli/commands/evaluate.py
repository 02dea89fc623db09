"""``innermost evaluate``: scores of a model or of a file of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.cli.shared.type_names import type_names
from innermost.corpus.reading import ReadingOptions


@reads_corpora
def evaluate(
    system: Annotated[
        str, typer.Argument(help="A model's name or folder, or predictions in any corpus format.")
    ],
    data: Annotated[Path, typer.Argument(help="The gold data.")],
    reading: ReadingOptions,
    also: Annotated[
        list[str] | None,
        typer.Option(help="Another system or run to compare with the first. Repeatable."),
    ] = None,
    report_folder: Annotated[
        Path | None,
        typer.Option("--report", help="Write report.html, report.md and report.json here."),
    ] = None,
    train: Annotated[
        Path | None,
        typer.Option(help="The training data, to distinguish seen from unseen surface forms."),
    ] = None,
    paper_counts: Annotated[
        bool,
        typer.Option(
            "--paper-counts", help="Count repeated gold mentions as often as they are annotated."
        ),
    ] = False,
    by_document: Annotated[
        bool,
        typer.Option(
            "--by-document", help="Resample documents, not sentences, for the confidence intervals."
        ),
    ] = False,
    raw_text: Annotated[
        bool,
        typer.Option(
            "--raw-text", help="Let the model find sentences and tokens itself, as in use."
        ),
    ] = False,
    layer: Annotated[
        str | None, typer.Option(help="The layer of annotation, for models with several.")
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(metavar="TYPE,TYPE", help="Count only these types, in data and predictions."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the confidence intervals.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compute precision, recall and F1, by type and level; with --report, analyze the errors.

    A prediction is correct if its start, end and type are.

    Example: `innermost evaluate predictions.jsonl test.jsonl --report report`
    """
    from innermost.cli.shared.output import note, print_json, show_report
    from innermost.cli.shared.progress import counted
    from innermost.cli.shared.systems import note_tokenizer, reading_for
    from innermost.corpus import Report
    from innermost.corpus.reading import read_corpus
    from innermost.evaluation.analysis.breakdown import SeenForms
    from innermost.evaluation.report import SHOWN_SENTENCES, write_report
    from innermost.evaluation.results import assess
    from innermost.evaluation.systems import read_gold

    systems = [system, *(also or [])]
    how = reading_for(systems, reading)
    report = Report()
    seen = None
    if train is not None:
        seen = SeenForms(counted(read_corpus(train, how, report), f"reading {train.name}"))
    only = type_names(types)
    gold = read_gold(data, systems, how, report, layer=layer, types=only)
    results = assess(
        systems,
        counted(gold, "evaluating"),
        layer=layer,
        types=only,
        report=report,
        raw_text=raw_text,
        tokenizer=reading.tokenizer,
        data=data.name,
        seen=seen,
        paper_counts=paper_counts,
        by_document=by_document,
        seed=seed,
        detailed=json or report_folder is not None or seen is not None,
        keep=0 if report_folder is None else SHOWN_SENTENCES,
    )
    if report_folder is not None:
        for path in write_report(results, report_folder):
            note(f"wrote {path}")
    if json:
        print_json(results.to_dict())
    else:
        from innermost.cli.shared.score_tables import show_results

        show_results(results)
    note_tokenizer(systems, reading, report)
    show_report(report)
