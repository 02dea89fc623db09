"""A transformer as an embedder: fine-tuned with the rest, or frozen with precomputed vectors.

In both, a word's vector comes from its sub-words (the first or the mean) and from one layer, the
mean of some or a learned mix of all, normalized to mean 0 and variance 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from innermost.network.embedder import Embedder
from innermost.network.vector_cache import FrozenInput, normalized
from innermost.parts.transformer.layer_choice import LayerMix, choose, chosen_layers
from innermost.parts.transformer.windows import MAX_GROUP
from innermost.tensors import TensorBatch


@dataclass(frozen=True, slots=True)
class TransformerInput(TensorBatch):
    """The windows of a batch, and the positions of the sub-words of each token."""

    ids: Tensor
    """``[window, position]``"""
    mask: Tensor
    """``[window, position]``: 1 for sub-words, 0 for padding."""
    places: Tensor
    """``[piece]``: indices into the flattened windows, in the order of the sentences."""
    counts: Tensor
    """``[word]``: the number of sub-words of each word."""
    order: Tensor
    """``[row]``: the word in each row."""


class TransformerEmbedder(Embedder):
    """A transformer that learns with the rest of the model."""

    def __init__(
        self,
        encoder: nn.Module,
        *,
        layers_used: str | Sequence[int],
        pooling: str,
        learning_rate: float,
        layer_decay: float,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling
        self.learning_rate = learning_rate
        self.layer_decay = layer_decay
        config: Any = encoder.config
        self.width = int(config.hidden_size)
        self._layers = chosen_layers(layers_used, int(config.num_hidden_layers) + 1)
        self.mix = LayerMix(len(self._layers)) if layers_used == "mix" else None

    def forward(self, batch: TransformerInput) -> Tensor:
        # A very long sentence has many windows, which need not all be in memory at once.
        rows = max(MAX_GROUP // batch.ids.shape[1], 1)
        parts = zip(torch.split(batch.ids, rows), torch.split(batch.mask, rows), strict=True)
        states = torch.cat([self.hidden(ids, mask) for ids, mask in parts])
        pieces = states.flatten(0, 1)[batch.places]
        return normalized(self._pool(pieces, batch.counts)[batch.order])

    def hidden(self, ids: Tensor, mask: Tensor) -> Tensor:
        """``[window, position] -> [window, position, width]``."""
        states = hidden_states(self.encoder, ids, mask)
        layers = choose(states, self._layers, mixed=self.mix is not None)
        mixed: Tensor = layers.squeeze(-2) if self.mix is None else self.mix(layers)
        return mixed

    def _pool(self, pieces: Tensor, counts: Tensor) -> Tensor:
        if self.pooling == "first":
            return pieces[counts.cumsum(0) - counts]
        numbers = torch.arange(len(counts), device=counts.device)
        word = torch.repeat_interleave(numbers, counts, output_size=len(pieces))
        summed = pieces.new_zeros(len(counts), pieces.shape[1]).index_add(0, word, pieces)
        return summed / counts.unsqueeze(-1).to(pieces.dtype)

    def own_rates(self) -> Iterator[dict[str, Any]]:
        """A rate per layer, lower for deeper layers; biases and norms do not decay."""
        count = int(self.encoder.config.num_hidden_layers)  # type: ignore[union-attr,arg-type]
        blocks = layer_prefix(self.encoder, count)
        groups: dict[tuple[int, bool], list[nn.Parameter]] = {}
        for name, parameter in self.encoder.named_parameters():
            if parameter.requires_grad:
                depth = _depth(name, blocks, count)
                groups.setdefault((depth, parameter.ndim < 2), []).append(parameter)
        for (depth, plain), parameters in sorted(groups.items(), key=lambda item: item[0]):
            rate = self.learning_rate * self.layer_decay ** (count - depth)
            yield {"params": parameters, "rate": rate} | ({"weight_decay": 0.0} if plain else {})


class FrozenTransformerEmbedder(Embedder):
    """Vectors that come with the batch; only the mix of layers, if any, is trained."""

    def __init__(self, width: int, layers: int, *, mixed: bool) -> None:
        super().__init__()
        self.width = width
        self.mix = LayerMix(layers) if mixed else None

    def forward(self, batch: FrozenInput) -> Tensor:
        vectors = batch.vectors
        return normalized(vectors.squeeze(1) if self.mix is None else self.mix(vectors))


def hidden_states(encoder: nn.Module, ids: Tensor, mask: Tensor) -> Sequence[Tensor]:
    """The embedding layer's output, then that of each layer."""
    output = encoder(input_ids=ids, attention_mask=mask, output_hidden_states=True)
    states: Sequence[Tensor] = output.hidden_states
    return states


def layer_prefix(encoder: nn.Module, count: int) -> str:
    """The name of the list of layers, with a dot."""
    lists = (n for n, m in encoder.named_modules() if isinstance(m, nn.ModuleList))
    sized = (n for n in lists if len(encoder.get_submodule(n)) == count)  # type: ignore[arg-type]
    blocks = next(sized, None)
    return "" if blocks is None else f"{blocks}."


def _depth(name: str, blocks: str, count: int) -> int:
    """0 for the embeddings, then 1 for the first layer, and so on."""
    if blocks and name.startswith(blocks):
        return int(name.removeprefix(blocks).split(".")[0]) + 1
    return 0 if "embed" in name else count
