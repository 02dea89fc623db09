"""``innermost suggest``: which sentences to annotate next."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from innermost.cli.shared.reading_options import reads_texts
from innermost.corpus.reading import ReadingOptions


class SuggestionFormat(str, Enum):
    JSONL = "jsonl"
    LABELSTUDIO = "labelstudio"
    PRODIGY = "prodigy"
    BRAT = "brat"


@reads_texts
def suggest(
    model: Annotated[str, typer.Argument(help="A model's name or folder.")],
    input: Annotated[
        list[str],
        typer.Option(
            "--input",
            "-i",
            metavar="FILE",
            help="Text to choose from: a file, a folder or a pattern; - for standard input. "
            "Repeatable.",
        ),
    ],
    reading: ReadingOptions,
    n: Annotated[
        int, typer.Option("--n", "-n", min=1, help="Number of sentences to choose.")
    ] = 100,
    format: Annotated[
        SuggestionFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="Output format (default: by the suffix of --output; jsonl on standard output).",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A file to write; for brat, a folder.")
    ] = "-",
    annotated: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Annotated sentences to skip. Repeatable."),
    ] = None,
    per_token: Annotated[
        bool,
        typer.Option(
            "--per-token", help="Rank by uncertainty per token, which favors short sentences."
        ),
    ] = False,
    text_column: Annotated[
        str, typer.Option(help="The column or key of the texts, in tables and JSON lines.")
    ] = "text",
    id_column: Annotated[str, typer.Option(help="The column or key of the document ids.")] = "id",
    layer: Annotated[
        str | None, typer.Option(help="Layer of annotation, for models that have several.")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads (default: all).")] = None,
) -> None:
    """Choose the sentences most worth annotating, pre-annotated with the model's predictions.

    The most uncertain sentences come first, counting inner and outer entities; near-duplicates are
    moved down.

    Example: `innermost suggest runs/mine --input pool.txt --n 200 -o tasks.labelstudio.json`
    """
    from innermost.cli.shared.output import note, show_report
    from innermost.cli.shared.progress import counted
    from innermost.corpus import Report
    from innermost.corpus.reading import read_corpus
    from innermost.files.atomic import refuse_input_as_output
    from innermost.plurals import count
    from innermost.prediction.inputs import InputOptions, expand_paths
    from innermost.prediction.outputs import check_destination
    from innermost.prediction.pool import pool_sentences, suggestion_format, write_suggestions
    from innermost.prediction.suggestions import Wanted
    from innermost.prediction.suggestions import suggest as choose
    from innermost.runtime import load

    refuse_input_as_output(output, *input, *(annotated or ()))
    chosen = suggestion_format(None if format is None else format.value, output)
    check_destination(chosen, output)
    nlp = load(model, threads=threads, layer=layer, tokenizer=reading.tokenizer)
    report = Report()
    columns = {"text": text_column, "id": id_column}
    options = InputOptions.of_columns(reading, nlp.tokenizer.name, columns)
    how = reading.with_tokenizer(nlp.tokenizer.name)
    known = (s for path in annotated or () for s in read_corpus(path, how, report))
    pool = counted(pool_sentences(expand_paths(input), options, report), "reading the pool")
    suggestions = choose(nlp, pool, Wanted(n, per_token), known)
    write_suggestions(suggestions, output, chosen, nlp.tokenizer.name, report)
    show_report(report.only("lost", "skipped", "note"))
    entities = sum(len(suggestion.sentence.entities) for suggestion in suggestions)
    predicted = count(entities, "predicted entity", "predicted entities")
    if len(suggestions) < n:
        shorter = f"sentences under {Wanted(n).min_tokens} tokens are skipped"
        note(f"the pool has no more suitable sentences ({n:,} requested); {shorter}")
    written = "" if output == "-" else f"{output} ({chosen}): "
    note(f"{written}{count(len(suggestions), 'sentence')}, annotated with {predicted}")
