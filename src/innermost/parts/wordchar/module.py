"""Word vectors and a character CNN."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from innermost.network.embedder import Embedder
from innermost.parts.wordchar.vocabulary import EDGE, UNKNOWN, Vocabulary
from innermost.tensors import TensorBatch


@dataclass(frozen=True, slots=True)
class WordCharInput(TensorBatch):
    """A batch; each distinct word form is processed once."""

    forms: Tensor
    """``[row]``: indices into the distinct forms."""
    words: Tensor
    """``[form]``: their numbers in the vocabulary."""
    windows: Tensor
    """``[character, 3]``: the characters of all forms with their neighbors."""
    spelled: Tensor
    """``[form]``: the number of characters of each."""


MANY_CHARACTERS = 512
"""With more, the tables of a batch have only the characters that occur in it."""


class CharacterCNN(nn.Module):
    """Convolution of width 3 over a word's characters, then the maximum over the word.

    A window of three characters is a sum of three rows, one from each of three tables ``embedding x
    kernel``; the tables are small and shared by all characters of the batch, so there is no matrix
    product per character.
    """

    def __init__(self, characters: int, dimension: int, filters: int) -> None:
        super().__init__()
        self.embedding = nn.Parameter(torch.empty(characters, dimension))
        self.kernel = nn.Parameter(torch.empty(3, dimension, filters))
        self.bias = nn.Parameter(torch.zeros(filters))
        bound = (3 / dimension) ** 0.5
        nn.init.uniform_(self.embedding, -bound, bound)
        nn.init.uniform_(self.kernel, -((1 / (3 * dimension)) ** 0.5), (1 / (3 * dimension)) ** 0.5)

    def tables(self, characters: Tensor | None = None) -> Tensor:
        """``[3, character, filter]``, of some characters or of all; the row of the edge is zero."""
        if characters is None:
            characters = torch.arange(len(self.embedding), device=self.embedding.device)
        embedding = nn.functional.embedding(characters, self.embedding)
        return (embedding * (characters != EDGE).unsqueeze(-1)) @ self.kernel

    def forward(self, windows: Tensor, spelled: Tensor) -> Tensor:
        """``[character, 3], [form] -> [form, filter]``."""
        characters = None
        if len(self.embedding) > MANY_CHARACTERS:  # else finding out which occur costs more
            characters, windows = torch.unique(windows, return_inverse=True)
        tables = self.tables(characters)
        rows = windows + torch.arange(3, device=windows.device) * tables.shape[1]
        summed = nn.functional.embedding_bag(rows, tables.flatten(0, 1), mode="sum")
        # unsafe: checking the lengths would wait for the device at every step
        longest = torch.segment_reduce(summed, "max", lengths=spelled, unsafe=True)
        return torch.tanh(longest + self.bias)


class WordCharEmbedder(Embedder):
    """The word's vector and its character features, concatenated."""

    pretrained: Tensor

    def __init__(
        self,
        vocabulary: Vocabulary,
        pretrained: Tensor,
        *,
        word_dimension: int,
        character_dimension: int,
        character_filters: int,
        word_dropout: float,
    ) -> None:
        super().__init__()
        self.word_dropout = word_dropout
        width = pretrained.shape[1] if len(pretrained) else word_dimension
        # Word 0 is the unknown word; the pretrained ones are not trained.
        self.trained = nn.Parameter(torch.empty(len(vocabulary.trained) + 1, width))
        spread = float(pretrained.std()) if len(pretrained) else (1 / width) ** 0.5
        nn.init.normal_(self.trained, std=spread)
        self.register_buffer("pretrained", pretrained, persistent=False)
        self.characters = CharacterCNN(
            vocabulary.character_count, character_dimension, character_filters
        )
        self.width = width + character_filters

    def word_vectors(self, words: Tensor) -> Tensor:
        own = len(self.trained)
        trained = nn.functional.embedding(words.clamp(max=own - 1), self.trained)
        if not len(self.pretrained):
            return trained
        fixed = nn.functional.embedding((words - own).clamp(min=0), self.pretrained)
        return torch.where((words < own).unsqueeze(-1), trained, fixed)

    def forward(self, batch: WordCharInput) -> Tensor:
        words = self.word_vectors(batch.words)[batch.forms]
        if self.training and self.word_dropout:
            dropped = torch.rand(batch.forms.shape, device=words.device) < self.word_dropout
            words = torch.where(dropped.unsqueeze(-1), self.trained[UNKNOWN], words)
        spelled = self.characters(batch.windows, batch.spelled)[batch.forms]
        return torch.cat((words, spelled), -1)
