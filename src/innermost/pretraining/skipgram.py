"""Skip-gram with negative sampling (Mikolov et al. 2013), in whole blocks of running text.

A block of consecutive words is two small matrices, its words' vectors and its contexts' vectors;
one product scores every word against every other, and a band along the diagonal is the window. So a
word is looked up twice, however wide the window is. The words of a block share its negative
samples, whose loss is weighted as if there were a few for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from innermost.arrays import Doubles, Ints

BLOCK = 64
"""Words in a block; pairs across its edges are missed, but the edges differ in each pass."""
SHARED = 32
"""Negative samples per block."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Running text in blocks, ``[block, word]`` each."""

    words: Tensor
    sentence: Tensor
    """The sentence of each word: windows do not cross sentences."""
    window: Tensor
    """The random window size of each word, so that near words count more."""

    def part(self, chosen: Tensor, device: torch.device) -> Blocks:
        return Blocks(*(t[chosen].to(device) for t in (self.words, self.sentence, self.window)))

    def __len__(self) -> int:
        return len(self.words)


def cut_blocks(
    words: Ints,
    sentence: Ints,
    window: int,
    random: np.random.Generator,
) -> Blocks:
    """Cut a text into blocks, starting at a random offset so that the edges vary."""
    before = int(random.integers(BLOCK))
    after = -(before + len(words)) % BLOCK
    # Padding shares no sentence with any word, so it is never a context.
    outside = -1 - np.arange(before + after)
    padded = np.concatenate((outside[:before], sentence, outside[before:]))
    return Blocks(
        torch.from_numpy(np.pad(words, (before, after)).reshape(-1, BLOCK)),
        torch.from_numpy(padded.reshape(-1, BLOCK)),
        torch.from_numpy(random.integers(1, window + 1, padded.shape).reshape(-1, BLOCK)),
    )


class SkipGram(nn.Module):
    """One vector per word, which is the result, and one per word as a context."""

    def __init__(self, vocabulary: int, dimension: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, dimension, sparse=True)
        self.contexts = nn.Embedding(vocabulary, dimension, sparse=True)
        nn.init.uniform_(self.words.weight, -0.5 / dimension, 0.5 / dimension)
        nn.init.zeros_(self.contexts.weight)

    def forward(self, blocks: Blocks, negatives: Tensor, weight: float) -> tuple[Tensor, Tensor]:
        """The loss summed over pairs, and the number of pairs.

        ``negatives [block, sample]`` are random words; those of a block together count ``weight``
        times for each of its pairs.
        """
        centers = self.words(blocks.words)
        place = torch.arange(BLOCK, device=centers.device)
        distance = (place[:, None] - place).abs()
        is_pair = (distance > 0) & (distance <= blocks.window.unsqueeze(-1))
        is_pair &= blocks.sentence.unsqueeze(-1) == blocks.sentence.unsqueeze(-2)
        scores = centers @ self.contexts(blocks.words).transpose(-1, -2)
        near = logsigmoid(scores).masked_fill(~is_pair, 0.0).sum()
        far = logsigmoid(-(centers @ self.contexts(negatives).transpose(-1, -2))).mean(-1)
        pairs = is_pair.sum(-1)
        return -(near + weight * (far * pairs).sum()), pairs.sum()


def keep_probability(counts: Ints, threshold: float) -> Doubles:
    """The probability of keeping an occurrence of each word; frequent words are subsampled."""
    excess = threshold * counts.sum() / counts
    kept: Doubles = np.minimum(np.sqrt(excess) + excess, 1.0)
    return kept


class NegativeSampler:
    """Random words, drawn by the 3/4 power of their counts."""

    def __init__(self, counts: Ints) -> None:
        self._edges = np.cumsum(counts**0.75)

    def draw(self, blocks: int, random: np.random.Generator) -> Tensor:
        """``[block, sample]``"""
        places = random.random((blocks, SHARED)) * self._edges[-1]
        return torch.from_numpy(np.searchsorted(self._edges, places, side="right"))
