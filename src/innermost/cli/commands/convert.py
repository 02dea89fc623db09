"""``innermost convert``: convert a corpus to another format."""

from __future__ import annotations

from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_corpora, settings_of
from innermost.corpus import registry
from innermost.corpus.reading import ReadingOptions


@reads_corpora
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file or folder; - for stdin.")],
    target: Annotated[
        str,
        typer.Argument(metavar="OUT", help="Output; its suffix may name the format; - for stdout."),
    ],
    reading: ReadingOptions,
    target_format: Annotated[
        str | None, typer.Option("--to", help="Output format (default: by the suffix of OUT).")
    ] = None,
    set_out: Annotated[
        list[str] | None,
        typer.Option("--set-out", metavar="KEY=VALUE", help="A setting for writing; repeatable."),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SHARE|FILE",
            help="Split by document, by share or by a list of names; repeatable.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed for assigning documents to shares.")] = 0,
    allow_loss: Annotated[
        bool, typer.Option("--allow-loss", help="Write OUT even if it cannot store everything.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Convert a corpus; the format of IN is detected, that of OUT follows from its suffix.

    What the new format cannot store is listed, and then nothing is written without --allow-loss.

    Formats: {formats}.

    Example: `innermost convert letters/ 'letters-{split}.jsonl' --split train=0.8 --split dev=0.2`
    """
    from dataclasses import replace

    from innermost.cli.shared.output import print_json, report_as_json, show_report, stderr_console
    from innermost.cli.shared.progress import counted
    from innermost.corpus.conversion import convert as run
    from innermost.corpus.splits import Splits
    from innermost.errors import UsageError
    from innermost.plurals import count_of

    if json and target == "-":
        raise UsageError("--json and the corpus cannot both go to standard output")
    result = run(
        source,
        target,
        source_format=reading.format,
        target_format=target_format,
        reading=reading.options,
        writing=replace(reading.options, settings=settings_of(set_out, "--set-out")),
        splits=Splits.parse(split, seed) if split else None,
        allow_loss=allow_loss,
        watch=lambda sentences: counted(sentences, "converting"),
    )
    if json:
        outputs = [
            {
                "path": o.path,
                "format": o.format,
                "sentences": o.sentences,
                "entities": o.entities,
                "lost_sentences": o.lost_sentences,
                "lost_entities": o.lost_entities,
            }
            for o in result.outputs
        ]
        report = report_as_json(result.report)
        tokenizers = sorted(result.report.tokenizers)
        print_json(
            {
                "written": result.is_kept,
                "outputs": outputs,
                "tokenizers": tokenizers,
                "report": report,
            }
        )
    else:
        console = stderr_console()
        show_report(result.report, console)
        if result.stores_tokens and reading.tokenizer is None:
            for name in sorted(result.report.tokenizers):
                console.print(
                    f"raw text was split with the tokenizer {name}; to train from a model with "
                    "another tokenizer, use that one: --tokenizer MODEL",
                    markup=False,
                )
        for output in result.outputs if result.is_kept else ():
            sentences = count_of(output.sentences, output.lost_sentences, "sentence")
            entities = count_of(output.entities, output.lost_entities, "entity", "entities")
            counts = f"{sentences}, {entities}"
            console.print(f"{output.path} ({output.format}): {counts}", markup=False)
        if not result.is_kept:
            console.print(
                "[bold red]nothing written[/]: the losses are listed above; "
                "--allow-loss writes the rest"
            )
    if not result.is_kept:
        raise typer.Exit(1)


convert.__doc__ = (convert.__doc__ or "").replace("{formats}", ", ".join(registry.all_names()))
