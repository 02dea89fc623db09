"""``innermost export``: write a trained model as a folder that runs without torch."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.cli.shared.reading_options import reads_texts
from innermost.corpus.reading import ReadingOptions

if TYPE_CHECKING:
    from innermost.corpus import Sentence


class Storage(str, Enum):
    float16 = "float16"
    int8 = "int8"
    int4 = "int4"


@reads_texts
def export(
    model: Annotated[str, typer.Argument(help="The folder of a trained model, or of its run.")],
    out: Annotated[Path, typer.Argument(help="The folder to write.")],
    reading: ReadingOptions,
    int8: Annotated[
        bool, typer.Option("--int8", help="Quantize: a quarter of the size, and faster.")
    ] = False,
    vectors: Annotated[
        Storage | None,
        typer.Option(
            help="Storage of word vectors (default: unchanged; with --int8, int8 if larger)."
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Keep only the N most frequent pretrained words."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="With --top: also keep the words of this data."),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Development data to calibrate the scores on."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a model folder to ship: no torch, no training weights, optionally smaller.

    The folder that training writes can already be used with `innermost predict`.

    Example: `innermost export runs/mine small --int8 --top 20000`
    """
    from innermost.cli.shared.output import print_json, show_report
    from innermost.corpus import Report
    from innermost.corpus.reading import read_corpus
    from innermost.errors import UsageError
    from innermost.export.folder import export as run
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import locate

    if keep is not None and top is None:
        raise UsageError(
            "--keep without --top has no effect: all words are kept", hint="add --top N, or drop it"
        )
    trained = locate(model)
    reading = reading.with_tokenizer(read_info(trained).tokenizer)
    report = Report()
    kept = () if keep is None else read_corpus(keep, reading, report)
    folder = run(
        trained,
        out,
        int8=int8,
        vectors=None if vectors is None else vectors.value,
        top=top,
        keep=(token for sentence in kept for token in sentence.tokens),
    )
    if calibrate is not None:
        _calibrate(folder, read_corpus(calibrate, reading, report))
    show_report(report)
    if vectors is not None:
        _warn_of_larger_vectors(trained, folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    if json:
        print_json({"folder": str(folder), "bytes": sum(sizes.values()), "files": sizes})
        return
    for name, size in sizes.items():
        typer.echo(f"{size / 1e6:8.2f} MB  {name}")
    typer.echo(f"{sum(sizes.values()) / 1e6:8.2f} MB  {folder}")


def _warn_of_larger_vectors(*folders: Path) -> None:
    from innermost.cli.shared.output import note
    from innermost.model_folder.arrays import read_array
    from innermost.parts.wordchar.files import VECTORS

    tables = [read_array(folder / VECTORS, (None, None)) for folder in folders]
    before, after = (table.itemsize * table.shape[1] for table in tables)
    if after > before:
        note(
            f"warning: a word vector grew from {before} to {after} bytes; storing it in more bits "
            "makes it no more precise"
        )


def _calibrate(folder: Path, sentences: Iterable[Sentence]) -> None:
    import msgspec

    from innermost.evaluation.temperature import model_temperature
    from innermost.model_folder.info import read_info, write_info
    from innermost.runtime import load

    temperature = model_temperature(load(folder), sentences)
    write_info(folder, msgspec.structs.replace(read_info(folder), temperature=temperature))
