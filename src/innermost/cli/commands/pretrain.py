"""``innermost pretrain``: vectors, character models and encoders from plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.cli.shared.struct_options import options_from
from innermost.errors import MissingExtraError
from innermost.pretraining.settings import (
    CharacterSettings,
    EncoderSettings,
    Execution,
    VectorSettings,
)

if TYPE_CHECKING:
    from innermost.pretraining.events import Event

pretrain = typer.Typer(
    name="pretrain",
    help="Pretrain word vectors, a character model or an encoder on plain in-domain text.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

Texts = Annotated[
    list[Path],
    typer.Argument(
        metavar="TEXT...", help="Files with one sentence or paragraph per line, compressed or not."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@pretrain.command()
@options_from(settings=VectorSettings, execution=Execution)
def vectors(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="File of word vectors to write (.npz).")],
    settings: VectorSettings,
    execution: Execution,
    json: Json = False,
) -> None:
    """Train word vectors by skip-gram with negative sampling.

    Example: `innermost pretrain vectors reports.txt.gz --out reports.npz --tokenizer genia`
    """
    _need_torch()
    from innermost.pretraining.vectors import pretrain_vectors

    events = pretrain_vectors(texts, out, settings, execution)
    _run(events, out, "words", "loss", lambda loss: loss, as_json=json)


@pretrain.command()
@options_from(settings=CharacterSettings, execution=Execution)
def characters(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="Folder to write the model to.")],
    settings: CharacterSettings,
    execution: Execution,
    json: Json = False,
) -> None:
    """Train a character language model: one direction of FLAIR embeddings.

    With `--init`, `--hidden` and `--layers` are taken from that model.

    Example: `innermost pretrain characters reports.txt.gz --out forward --init flair-news-fast`
    """
    _need_torch()
    from math import log

    from innermost.pretraining.characters import pretrain_characters

    events = pretrain_characters(texts, out, settings, execution)
    _run(events, out, "characters", "bits per character", lambda x: x / log(2), as_json=json)


@pretrain.command()
@options_from(settings=EncoderSettings, execution=Execution)
def encoder(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="Folder to write the encoder to.")],
    settings: EncoderSettings,
    execution: Execution,
    json: Json = False,
) -> None:
    """Continue the masked-language-model training of a Hugging Face encoder.

    Example: `innermost pretrain encoder reports.txt.gz --init intfloat/e5-small --out e5-reports`
    """
    _need_torch()
    from math import exp

    from innermost.pretraining.encoder import pretrain_encoder

    events = pretrain_encoder(texts, out, settings, execution)
    _run(events, out, "sub-words", "perplexity", exp, as_json=json)


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Pretraining", "train", error.name) from None


def _run(
    events: Iterator[Event],
    out: Path,
    unit: str,
    measure: str,
    scale: Callable[[float], float],
    *,
    as_json: bool,
) -> None:
    """Show progress on stderr and the last evaluation on stdout."""
    from innermost.cli.shared.output import note, print_json
    from innermost.cli.shared.pretraining_display import PretrainingDisplay

    with PretrainingDisplay(unit, measure, scale) as display:
        for event in events:
            display.show(event)
    complete = out.exists()
    result = {
        "out": str(out),
        "complete": complete,
        measure.replace(" ", "_"): display.heldout,
    }
    if as_json:
        print_json(result)
    elif display.heldout is None:
        typer.echo(f"{out} already exists: nothing to do")
    else:
        typer.echo(f"{out}: held-out {measure} {display.heldout:.3f}")
        if not complete:
            note("stopped before the end; rerun with --resume to continue")
