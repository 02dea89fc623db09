"""The settings of the encoders, as they stand under ``[encoder]`` in a configuration."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Rate = Annotated[float, msgspec.Meta(ge=0, lt=1)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class WordCharConfig(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, frozen=True):
    """The paper's first model; the defaults are its Table 2."""

    kind: Literal["wordchar"] = "wordchar"
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
    hidden: Positive = 256
    layers: Positive = 2
    word_dropout: Rate = 0.05
    dropout: Rate = 0.2
    recurrent_dropout: Rate = 0.2
