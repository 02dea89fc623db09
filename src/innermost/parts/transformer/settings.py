"""The settings of a pretrained transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from innermost.parts.settings import Natural, NonNegative, PartSettings, PathKind
from innermost.parts.transformer.document_windows import Style


class Settings(PartSettings, kw_only=True, frozen=True):
    """Settings of the part, frozen or fine-tuned."""

    paths: ClassVar[Mapping[str, PathKind]] = {"model": "folder or name"}

    model: str
    """Folder of a Hugging Face encoder, or its name."""
    fine_tune: bool = False
    """Train its weights too. Otherwise its vectors are computed once and cached on disk."""
    pooling: Literal["first", "mean"] = "mean"
    """A word's vector: that of its first sub-word, or the mean of all."""
    layers_used: Literal["last", "mean-last-4", "mix"] | tuple[int, ...] = "mean-last-4"
    """The last layer, a mean of layers (0 is the embedding layer), or a learned mix of all."""
    context: Natural = 0
    """Sub-words of the neighboring sentences in the document to read on each side."""
    windows: Style = "sentence"
    """Each sentence is read in a window of its own, or in one that consecutive sentences share."""
    learning_rate: NonNegative = 5e-5
    """Fine-tuning: the rate of the top layer; that of the rest is under ``[training]``."""
    layer_decay: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.9
    """Fine-tuning: the learning rate of each layer as a share of the rate of the layer above it."""
    gradient_checkpointing: bool = False
    """Fine-tuning: less memory for more time."""

    def without_paths(self) -> dict[str, Any]:
        """Also without ``windows = "sentence"``, so that earlier versions can read it."""
        settings = super().without_paths()
        if self.windows == "sentence":
            del settings["windows"]
        return settings
