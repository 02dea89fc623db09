"""The settings of pretraining. The command line takes its options, defaults and help from here."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Tokenizer = Annotated[str, Meta(description="Tokenizer; use the one your training data uses.")]


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is carried out. Its result does not depend on that, rounding aside."""

    device: Annotated[str, Meta(description="auto, cpu, cuda, cuda:1, ...")] = "auto"
    save_every: Annotated[
        float, Meta(ge=0, description="Time between checkpoints.", extra={"metavar": "SECONDS"})
    ] = 300
    stop_after: Annotated[
        float | None,
        Meta(
            ge=0,
            description="Save a checkpoint and stop; continue later with --resume.",
            extra={"metavar": "MINUTES"},
        ),
    ] = None
    resume: Annotated[bool, Meta(description="Continue an interrupted run.")] = False


class VectorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Skip-gram word vectors."""

    dimension: Annotated[int, Meta(ge=1, description="Size of a vector.")] = 200
    window: Annotated[int, Meta(ge=1, description="Maximum number of words on each side.")] = 4
    negatives: Annotated[int, Meta(ge=1, description="Random words per pair of words.")] = 8
    epochs: Annotated[int, Meta(ge=1, description="Passes over the text.")] = 2
    min_count: Annotated[int, Meta(ge=1, description="Rarer words get no vector.")] = 5
    tokenizer: Tokenizer = "unicode"
    subsample: Annotated[
        float, Meta(gt=0, description="Words with a larger share of the text are subsampled.")
    ] = 1e-4
    learning_rate: Annotated[float, Meta(ge=0, description="Initial learning rate.")] = 0.2
    batch_blocks: Annotated[int, Meta(ge=1, description="Blocks of 64 words per batch.")] = 32
    seed: Annotated[int, Meta(description="Random seed.")] = 1


class CharacterSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A character language model."""

    direction: Annotated[Literal["forward", "backward"], Meta(description="Reading direction.")] = (
        "forward"
    )
    init: Annotated[
        str | None,
        Meta(description="Folder of a character model to continue from.", extra={"metavar": "DIR"}),
    ] = None
    hidden: Annotated[int, Meta(ge=1, description="Width of the LSTM.")] = 1024
    layers: Annotated[int, Meta(ge=1, description="Layers of the LSTM.")] = 1
    epochs: Annotated[int, Meta(ge=1, description="Passes over the text.")] = 1
    min_count: Annotated[int, Meta(ge=1, description="Rarer characters are unknown.")] = 20
    tokenizer: Tokenizer = "unicode"
    streams: Annotated[int, Meta(ge=1, description="Positions read in parallel.")] = 128
    length: Annotated[
        int, Meta(ge=1, description="Characters per step of truncated backpropagation.")
    ] = 256
    learning_rate: Annotated[float, Meta(ge=0, description="Peak learning rate.")] = 1e-3
    clip: Annotated[float, Meta(gt=0, description="Maximum gradient norm.")] = 1.0
    seed: Annotated[int, Meta(description="Random seed.")] = 1


class EncoderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Continued masked-language-model training of a Hugging Face encoder."""

    init: Annotated[
        str,
        Meta(
            description="The encoder to continue from: a folder or a name.",
            extra={"metavar": "DIR|NAME"},
        ),
    ]
    epochs: Annotated[int, Meta(ge=1, description="Passes over the text.")] = 1
    whole_words: Annotated[
        bool, Meta(description="Mask whole words, which is harder than single sub-words.")
    ] = False
    length: Annotated[
        int, Meta(ge=4, description="Sub-words per sequence, special ones included.")
    ] = 256
    batch_tokens: Annotated[int, Meta(ge=1, description="Sub-words per batch.")] = 8_192
    learning_rate: Annotated[float, Meta(ge=0, description="Peak learning rate.")] = 1e-4
    weight_decay: Annotated[float, Meta(ge=0, description="Weight decay.")] = 0.01
    clip: Annotated[float, Meta(gt=0, description="Maximum gradient norm.")] = 1.0
    dropout: Annotated[
        float | None,
        Meta(ge=0, lt=1, description="Dropout while pretraining (default: that of the encoder)."),
    ] = None
    compile: Annotated[
        bool, Meta(description="Compile the layers first: for long runs on a GPU.")
    ] = False
    seed: Annotated[int, Meta(description="Random seed.")] = 1
