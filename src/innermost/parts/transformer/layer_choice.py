"""The layers of a transformer that the vectors are taken from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from innermost.errors import ConfigError


class LayerMix(nn.Module):
    """A learned mean of layers, with one learned scale (Peters et al. 2018)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, stacked: Tensor) -> Tensor:
        """``[..., layer, width] -> [..., width]``."""
        shares = torch.softmax(self.weights, 0).to(stacked.dtype)
        return self.scale * torch.einsum("l,...lw->...w", shares, stacked)


def chosen_layers(layers_used: str | Sequence[int], count: int) -> list[int]:
    """Indices of the hidden states, of which there are ``count``; 0 is the embedding layer."""
    if layers_used == "last":
        return [count - 1]
    if layers_used == "mean-last-4":
        return list(range(max(count - 4, 1), count))
    if layers_used == "mix":
        return list(range(count))
    indices = [int(index) for index in layers_used]
    if not indices or not all(-count <= index < count for index in indices):
        raise ConfigError(
            f"layers_used = {indices}: the transformer has the layers 0 to {count - 1}"
        )
    return [index % count for index in indices]


def choose(states: Sequence[Any], layers: Sequence[int], *, mixed: bool) -> Tensor:
    """``[..., layer, width]`` for a mix, else the mean ``[..., 1, width]``."""
    stacked = torch.stack([states[layer] for layer in layers], dim=-2)
    return stacked if mixed else stacked.mean(-2, keepdim=True)
