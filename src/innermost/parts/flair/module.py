"""Character language models as an embedder: frozen, with vectors that come with the batch."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from innermost.network.embedder import Embedder
from innermost.network.vector_cache import FrozenInput, normalized


class FlairEmbedder(Embedder):
    """Vectors that come with the batch, each model's normalized to mean 0 and variance 1."""

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        self._widths = list(widths)
        self.width = sum(widths)

    def forward(self, batch: FrozenInput) -> Tensor:
        parts = torch.split(batch.vectors, self._widths, dim=-1)
        return torch.cat([normalized(part) for part in parts], dim=-1)
