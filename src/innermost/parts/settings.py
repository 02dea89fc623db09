"""The settings of the encoders, as they stand under ``[encoder]`` in a configuration.

An encoder is one or more embedders, which give each token a vector, with a BiLSTM and a linear
layer on top. ``kind`` says which: one embedder, its settings beside those of the BiLSTM, or a
``stack`` with a table for each.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]


class WordCharSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Word vectors and a character CNN."""

    vectors: str | None = None
    """File of pretrained word vectors. Without one, all words get trained vectors."""
    scale_vectors: bool = False
    """Bring the vectors of the training words to a mean square of 1, like the other features."""
    word_dimension: Positive = 100
    """Width of the word vectors when there are no pretrained ones."""
    min_count: Positive = 2
    """Training words without a pretrained vector and rarer than this share the unknown word's."""
    character_dimension: Positive = 128
    character_filters: Positive = 256
    word_dropout: Rate = 0.05


class TransformerSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A pretrained transformer, frozen or fine-tuned."""

    model: str
    """Folder of a Hugging Face encoder, or its name."""
    fine_tune: bool = False
    """Train its weights too. Frozen, its vectors are computed once and kept on disk."""
    pooling: Literal["first", "mean"] = "mean"
    """A word's vector: that of its first sub-word, or the mean of all."""
    layers_used: Literal["last", "mean-last-4", "mix"] | tuple[int, ...] = "mean-last-4"
    """The last layer, a mean of layers (0 is the embedding layer), or a learned mix of all."""
    context: Natural = 0
    """Sub-words of the neighbouring sentences of the document that are read on each side."""
    learning_rate: NonNegative = 5e-5
    """Fine-tuning: the rate of the top layer; that of the rest is under ``[training]``."""
    layer_decay: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.9
    """Fine-tuning: each layer learns at this share of the rate of the one above it."""
    gradient_checkpointing: bool = False
    """Fine-tuning: less memory for more time."""


class FlairSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """Character language models, frozen."""

    models: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    """Folders; all models in them, of both directions, are used side by side."""


class WordCharConfig(WordCharSettings, tag_field="kind", tag="wordchar", kw_only=True, frozen=True):
    """The paper's first model; the defaults are its Table 2."""

    hidden: Positive = 256
    layers: Natural = 2
    """Of the BiLSTM; 0: none."""
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2


class TransformerConfig(
    TransformerSettings, tag_field="kind", tag="transformer", kw_only=True, frozen=True
):
    """The paper's second model."""

    hidden: Positive = 256
    layers: Natural = 2
    """Of the BiLSTM; 0: none."""
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2


class FlairConfig(FlairSettings, tag_field="kind", tag="flair", kw_only=True, frozen=True):
    """Character language models alone."""

    hidden: Positive = 256
    layers: Natural = 2
    """Of the BiLSTM; 0: none."""
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2


class StackConfig(
    msgspec.Struct,
    tag_field="kind",
    tag="stack",
    forbid_unknown_fields=True,
    kw_only=True,
    frozen=True,
):
    """The paper's third model: any embedders side by side."""

    wordchar: WordCharSettings | None = None
    transformer: TransformerSettings | None = None
    flair: FlairSettings | None = None
    hidden: Positive = 256
    layers: Natural = 2
    """Of the BiLSTM; 0: none."""
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2

    def __post_init__(self) -> None:
        if not embedders_of(self):
            raise ValueError("a stack needs at least one of [encoder.wordchar] and the like")


EncoderConfig = WordCharConfig | TransformerConfig | FlairConfig | StackConfig
EmbedderSettings = WordCharSettings | TransformerSettings | FlairSettings


def embedders_of(config: EncoderConfig) -> dict[str, EmbedderSettings]:
    """The settings of the embedders by name, in the order in which their vectors are joined."""
    if isinstance(config, WordCharConfig):
        return {"wordchar": config}
    if isinstance(config, TransformerConfig):
        return {"transformer": config}
    if isinstance(config, FlairConfig):
        return {"flair": config}
    parts = {
        "wordchar": config.wordchar,
        "transformer": config.transformer,
        "flair": config.flair,
    }
    return {name: settings for name, settings in parts.items() if settings is not None}
