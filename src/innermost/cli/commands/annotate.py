"""``innermost annotate``: annotate text with several models, to train another one on it."""

from __future__ import annotations

from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_texts
from innermost.corpus.reading import ReadingOptions


@reads_texts
def annotate(
    ctx: typer.Context,
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Names or folders of models with the same types."),
    ],
    reading: ReadingOptions,
    text: Annotated[
        list[str],
        typer.Option("--text", metavar="FILE", help="Plain text, one paragraph per line."),
    ],
    out: Annotated[str, typer.Option("--out", "-o", help="The corpus to write.")],
    like: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Choose the text most similar to this data."),
    ] = None,
    tokens: Annotated[int, typer.Option(min=1, help="Number of tokens to annotate.")] = 200_000,
    seed: Annotated[int, typer.Option(help="Random seed for choosing the text.")] = 1,
    layer: Annotated[
        str | None, typer.Option(help="Layer of annotation, for models that have several.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads (default: all).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Annotate plain text with several models together: silver data for distillation.

    The mean of their emissions decides, which is better than any single one of them.

    Example: `innermost annotate runs/a runs/b --text news.txt --out silver.jsonl`
    """
    from innermost.cli.shared.given_options import READING, refuse_options
    from innermost.cli.shared.output import note, print_json, show_report
    from innermost.cli.shared.progress import counted
    from innermost.corpus import Report, registry, write
    from innermost.corpus.conversion import Output, count_output
    from innermost.corpus.reading import read_corpus
    from innermost.errors import DataError
    from innermost.files.atomic import refuse_input_as_output
    from innermost.files.source import Source
    from innermost.plurals import count
    from innermost.prediction.ensemble import Line, choose_lines, split_lines
    from innermost.prediction.ensemble import annotate as run
    from innermost.runtime import load

    if like is None:
        refuse_options(ctx, READING, "needs --like: it applies to that data")
    refuse_input_as_output(out, *text, *([] if like is None else [like]))
    teachers = [
        load(model, threads=threads, layer=layer, tokenizer=reading.tokenizer) for model in models
    ]
    report = Report()
    sources = [Source(path) for path in text]
    lines = [
        Line(f"{source.name}:{number}", line)
        for source in sources
        for number, line in source.text_lines()
        if line.strip()
    ]
    data = None
    if like is not None:
        data = read_corpus(like, reading.with_tokenizer(teachers[0].tokenizer.name), report)
    chosen = choose_lines(lines, tokens, seed, data)
    sentences = list(split_lines(chosen, teachers[0].tokenizer, tokens))
    if not sentences:
        names = " + ".join(source.name for source in sources)
        raise DataError("no sentences of 4 to 100 tokens", path=names)
    output = Output(out, registry.for_output(out).name)
    annotated = counted(run(teachers, sentences), "annotating", total=len(sentences))
    write(count_output(annotated, output), out, report=report)
    show_report(report)
    if json:
        print_json({"out": out, "sentences": output.sentences, "entities": output.entities})
    else:
        entities = count(output.entities, "entity", "entities")
        note(f"{out} ({output.format}): {count(output.sentences, 'sentence')}, {entities}")
