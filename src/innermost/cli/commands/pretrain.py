"""``innermost pretrain``: vectors, character models and encoders from plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from innermost.errors import MissingExtraError

if TYPE_CHECKING:
    from innermost.pretraining.events import Event

pretrain = typer.Typer(
    name="pretrain",
    help="Make word vectors, a character model or a better encoder from plain text of your domain.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

Texts = Annotated[
    list[Path],
    typer.Argument(
        metavar="TEXT...", help="Files, a sentence or paragraph a line; gzip, xz or zstd or plain."
    ),
]
Tokenizer = Annotated[str, typer.Option(help="How words are told: as for the data to train on.")]
Seed = Annotated[int, typer.Option(help="Random seed.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, ...")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where it was stopped.")]
SaveEvery = Annotated[
    float, typer.Option(min=0, metavar="SECONDS", help="Between two checkpoints.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class Direction(str, Enum):
    FORWARD = "forward"
    BACKWARD = "backward"


@pretrain.command()
def vectors(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="File of word vectors to write (.npz).")],
    dimension: Annotated[int, typer.Option(min=1)] = 200,
    window: Annotated[int, typer.Option(min=1, help="Words on each side, at most.")] = 4,
    negatives: Annotated[int, typer.Option(min=1, help="Random words for each pair.")] = 8,
    epochs: Annotated[int, typer.Option(min=1)] = 2,
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words get no vector.")] = 5,
    tokenizer: Tokenizer = "unicode",
    seed: Seed = 1,
    device: Device = "auto",
    save_every: SaveEvery = 300,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Word vectors by skip-gram with negative sampling.

    Example: `innermost pretrain vectors reports.txt.gz --out reports.npz --tokenizer genia`
    """
    _need_torch()
    from innermost.pretraining.vectors import VectorSettings, pretrain_vectors

    settings = VectorSettings(
        dimension=dimension,
        window=window,
        negatives=negatives,
        epochs=epochs,
        min_count=min_count,
        tokenizer=tokenizer,
        seed=seed,
    )
    events = pretrain_vectors(
        texts, out, settings, resume=resume, device=device, save_seconds=save_every
    )
    _run(events, out, "words", "loss", lambda loss: loss, as_json=as_json)


@pretrain.command()
def characters(
    texts: Texts,
    out: Annotated[Path, typer.Option(help="Folder to write the model to.")],
    direction: Annotated[
        Direction, typer.Option(help="From which end lines are read.")
    ] = Direction.FORWARD,
    init: Annotated[
        str | None, typer.Option(metavar="DIR", help="Go on from the model in this folder.")
    ] = None,
    hidden: Annotated[int, typer.Option(min=1, help="Width of the LSTM.")] = 1024,
    layers: Annotated[int, typer.Option(min=1, help="Layers of the LSTM.")] = 1,
    epochs: Annotated[int, typer.Option(min=1)] = 1,
    streams: Annotated[int, typer.Option(min=1, help="Places read side by side.")] = 128,
    learning_rate: Annotated[float, typer.Option(min=0)] = 1e-3,
    tokenizer: Tokenizer = "unicode",
    seed: Seed = 1,
    device: Device = "auto",
    save_every: SaveEvery = 300,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """A character language model: one direction of what FLAIR embeddings are made of.

    With `--init`, its `--hidden` and `--layers` are those of the model there.

    Example: `innermost pretrain characters reports.txt.gz --out forward --init flair-news-fast`
    """
    _need_torch()
    from math import log

    from innermost.pretraining.characters import CharacterSettings, pretrain_characters

    settings = CharacterSettings(
        direction=direction.value,
        init=init,
        hidden=hidden,
        layers=layers,
        epochs=epochs,
        streams=streams,
        learning_rate=learning_rate,
        tokenizer=tokenizer,
        seed=seed,
    )
    events = pretrain_characters(
        texts, out, settings, resume=resume, device=device, save_seconds=save_every
    )
    _run(events, out, "characters", "bits per character", lambda x: x / log(2), as_json=as_json)


@pretrain.command()
def encoder(
    texts: Texts,
    init: Annotated[
        str, typer.Option(metavar="DIR", help="The encoder to go on from: a folder, or a name.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write the encoder to.")],
    whole_words: Annotated[
        bool, typer.Option("--whole-words", help="Hide words, not single sub-words.")
    ] = False,
    epochs: Annotated[int, typer.Option(min=1)] = 1,
    length: Annotated[int, typer.Option(min=4, help="Sub-words of a sequence.")] = 256,
    batch_tokens: Annotated[int, typer.Option(min=1, help="Sub-words of a batch.")] = 8_192,
    learning_rate: Annotated[float, typer.Option(min=0)] = 1e-4,
    compile_layers: Annotated[
        bool, typer.Option("--compile", help="Compile the layers first: for long runs on a GPU.")
    ] = False,
    seed: Seed = 1,
    device: Device = "auto",
    save_every: SaveEvery = 300,
    resume: Resume = False,
    as_json: Json = False,
) -> None:
    """Train a Hugging Face encoder further, by guessing hidden words.

    Example: `innermost pretrain encoder reports.txt.gz --init e5-small --out e5-reports`
    """
    _need_torch()
    from math import exp

    from innermost.pretraining.encoder import EncoderSettings, pretrain_encoder

    settings = EncoderSettings(
        init=init,
        whole_words=whole_words,
        epochs=epochs,
        length=length,
        batch_tokens=batch_tokens,
        learning_rate=learning_rate,
        compile=compile_layers,
        seed=seed,
    )
    events = pretrain_encoder(
        texts, out, settings, resume=resume, device=device, save_seconds=save_every
    )
    _run(events, out, "sub-words", "perplexity", exp, as_json=as_json)


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        raise MissingExtraError("Pretraining", "train") from None


def _run(
    events: Iterator[Event],
    out: Path,
    unit: str,
    measure: str,
    scale: Callable[[float], float],
    *,
    as_json: bool,
) -> None:
    """Show what happens on stderr and the last measurement on stdout."""
    import msgspec

    from innermost.cli.shared.pretraining_display import PretrainingDisplay

    with PretrainingDisplay(unit, measure, scale) as display:
        for event in events:
            display.show(event)
    result = {"out": str(out), measure.replace(" ", "_"): display.heldout}
    if as_json:
        sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
    elif display.heldout is None:
        typer.echo(f"{out} was finished before")
    else:
        typer.echo(f"{out}: held-out {measure} {display.heldout:.3f}")
