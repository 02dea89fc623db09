"""The settings of word vectors and the character CNN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from innermost.parts.settings import PartSettings, PathKind, Positive, Rate


class Settings(PartSettings, kw_only=True, frozen=True):
    """The defaults are Table 2 of the paper."""

    paths: ClassVar[Mapping[str, PathKind]] = {"vectors": "file or model"}

    vectors: str | None = None
    """File of pretrained word vectors, or a model to take them from. By default all are trained."""
    scale_vectors: bool = False
    """Scale the vectors of the training words to a mean square of 1, like the other features."""
    word_dimension: Positive = 100
    """Width of the word vectors if there are no pretrained ones."""
    min_count: Positive = 2
    """Training words without a pretrained vector and rarer than this share the unknown word's."""
    character_dimension: Positive = 128
    character_filters: Positive = 256
    word_dropout: Rate = 0.05
