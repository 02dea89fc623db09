"""``innermost compare``: whether one system is significantly better than another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_corpora
from innermost.cli.shared.type_names import type_names
from innermost.corpus.reading import ReadingOptions

_NEEDS_GOLD = (
    "--tokenizer",
    "--report",
    "--samples",
    "--by-document",
    "--paper-counts",
    "--layer",
    "--seed",
)


@reads_corpora
def compare(
    ctx: typer.Context,
    first: Annotated[
        str, typer.Argument(metavar="A", help="A file of predictions, or a model's folder or name.")
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="The same, to compare with.")],
    data: Annotated[
        Path | None,
        typer.Argument(help="The gold data. Without it: the agreement of two prediction files."),
    ] = None,
    *,
    reading: ReadingOptions,
    report_folder: Annotated[
        Path | None,
        typer.Option(
            "--report",
            help="Write report.html, with the differences drawn side by side, and JSON here.",
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=100, help="Bootstrap and permutation draws.")] = 10000,
    by_document: Annotated[
        bool, typer.Option("--by-document", help="Draw and swap whole documents, not sentences.")
    ] = False,
    paper_counts: Annotated[
        bool,
        typer.Option(
            "--paper-counts", help="Count repeated gold mentions as often as they are annotated."
        ),
    ] = False,
    layer: Annotated[
        str | None, typer.Option(help="The layer of annotation, of models that have several.")
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(metavar="TYPE,TYPE", help="Count only these types, in data and predictions."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare the micro-F1 of two systems: bootstrap interval and permutation test.

    Example: `innermost compare ours.jsonl theirs.jsonl test.jsonl`
    """
    from innermost.cli.shared.given_options import READING, refuse_options
    from innermost.cli.shared.output import note, print_json, show_report
    from innermost.cli.shared.progress import counted
    from innermost.cli.shared.score_tables import show_agreement, show_comparison
    from innermost.cli.shared.systems import note_tokenizer, reading_for
    from innermost.corpus import Report
    from innermost.evaluation.comparison import agreement, compare_systems
    from innermost.evaluation.report import SHOWN_SENTENCES, write_comparison
    from innermost.evaluation.systems import read_gold

    report = Report()
    only = type_names(types)
    if data is None:
        refuse_options(
            ctx, (*READING, *_NEEDS_GOLD), "needs gold data", hint="give it after A and B"
        )
        counts = agreement(first, second, types=only, report=report)
        show_report(report)
        if json:
            print_json({"agreement": counts.to_dict()})
        else:
            show_agreement(first, second, counts)
        return
    systems = [first, second]
    how = reading_for(systems, reading)
    gold = read_gold(data, systems, how, report, layer=layer, types=only)
    result = compare_systems(
        first,
        second,
        counted(gold, "comparing"),
        data=data.name,
        layer=layer,
        types=only,
        samples=samples,
        by_document=by_document,
        paper_counts=paper_counts,
        seed=seed,
        keep=0 if report_folder is None else SHOWN_SENTENCES,
        report=report,
    )
    if report_folder is not None:
        for path in write_comparison(result, report_folder):
            note(f"wrote {path}")
    if json:
        print_json(result.to_dict())
    else:
        show_comparison(result)
    note_tokenizer(systems, reading, report)
    show_report(report)
