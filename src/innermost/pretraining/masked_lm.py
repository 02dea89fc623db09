"""Masked language modeling (Devlin et al. 2019) with any Hugging Face encoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, gelu, linear

from innermost.errors import ModelError
from innermost.files.atomic import write_atomically
from innermost.parts.transformer.module import layer_prefix

HEAD = "masked_head.safetensors"
SHARE = 0.15
"""The share of sub-words, or words, to predict."""


@dataclass(frozen=True, slots=True)
class MaskedBatch:
    numbers: Tensor
    """``[sequence, position]``, with most of the targets masked."""
    places: Tensor
    """``[guess]``: their positions, as ascending indices into the flattened ``numbers``."""
    answers: Tensor
    """``[guess]``: the original sub-words."""

    def to(self, device: torch.device) -> MaskedBatch:
        """Copy to a device; on a GPU, asynchronously."""
        tensors = (self.numbers, self.places, self.answers)
        if device.type != "cuda":
            return MaskedBatch(*(t.to(device) for t in tensors))
        return MaskedBatch(*(t.pin_memory().to(device, non_blocking=True) for t in tensors))


class MaskedLM(nn.Module):
    """An encoder, and a head that shares its word embeddings."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        vocabulary, width = self._embeddings().shape
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        # Start as the identity: an untrained head should not disturb the states.
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)

    def _embeddings(self) -> Tensor:
        weight: Tensor = self.encoder.get_input_embeddings().weight
        return weight

    def forward(self, batch: MaskedBatch) -> Tensor:
        """The loss summed over the masked positions; nothing else goes through the head.

        No shape depends on the values of a tensor, so the CPU never waits for the GPU.
        """
        states = self.encoder(input_ids=batch.numbers).last_hidden_state
        states = states.flatten(0, 1).index_select(0, batch.places)
        states = self.norm(gelu(self.dense(states)))
        scores = linear(states, self._embeddings(), self.bias)
        return cross_entropy(scores.float(), batch.answers, reduction="sum")

    def compile_layers(self) -> None:
        """Compile the encoder's layers on their first run; all of them share one program."""
        count = int(self.encoder.config.num_hidden_layers)
        name = layer_prefix(self.encoder, count).removesuffix(".")
        if not name:
            raise ModelError("the encoder has no list of its layers")
        for layer in self.encoder.get_submodule(name):
            layer.compile(dynamic=False)

    def load_head(self, folder: str | Path) -> None:
        """Load the head that was trained with the encoder of a folder, if there is one."""
        path = Path(folder) / HEAD
        if path.exists():
            try:
                self.load_state_dict(load_file(path), strict=False)
            except (SafetensorError, OSError, RuntimeError) as error:
                raise ModelError(f"{path} does not match the encoder: {error}") from None

    def save_head(self, folder: Path) -> None:
        """Write the head, for continued pretraining."""
        state = self.state_dict().items()
        head = {name: tensor.cpu() for name, tensor in state if not name.startswith("encoder.")}
        write_atomically(folder / HEAD, save(head))


def choose(continues: Tensor, *, whole_words: bool, generator: torch.Generator) -> Tensor:
    """``[sequence, position]``: the sub-words to predict, chosen singly or as whole words.

    ``continues`` marks the sub-words that continue the word of the previous one.
    """
    chance = torch.rand(continues.shape, generator=generator)
    if whole_words:
        word = (~continues).long().cumsum(1)
        chance = chance.gather(1, word.sub(1).clamp(min=0))
    return chance < SHARE


def hide(
    numbers: Tensor, guessed: Tensor, *, mask: int, vocabulary: int, generator: torch.Generator
) -> Tensor:
    """Of the sub-words to predict, 8 in 10 become ``mask``, 1 a random one, 1 is unchanged."""
    fate = torch.rand(numbers.shape, generator=generator)
    others = torch.randint(vocabulary, numbers.shape, generator=generator)
    hidden = torch.where(guessed & (fate < 0.8), mask, numbers)
    return torch.where(guessed & (fate >= 0.9), others, hidden)
