"""Sentences as the input of the word and character embedder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from innermost.arrays import Ints
from innermost.corpus import Sentence
from innermost.network.embedder import Layout
from innermost.parts.wordchar.module import WordCharInput
from innermost.parts.wordchar.vocabulary import Vocabulary, spell


class WordCharFeatures:
    """Numbers the distinct word forms once, and joins sentences into batches."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._numbers: dict[str, int] = {}
        self._stale = True

    def prepare(self, sentences: Sequence[Sentence]) -> list[Ints]:
        """The form numbers of each sentence."""
        numbers = self._numbers
        before = len(numbers)
        forms = [
            np.array([numbers.setdefault(t, len(numbers)) for t in s.tokens], dtype=np.int64)
            for s in sentences
        ]
        self._stale |= len(numbers) > before
        return forms

    def collate(self, items: Sequence[Ints], layout: Layout) -> WordCharInput:
        if self._stale:
            self._spell_all()
        used, inverse = np.unique(np.concatenate(items), return_inverse=True)
        forms = inverse[layout.order()]
        spelled = self._spelled[used]
        first = np.repeat(self._first[used] - (np.cumsum(spelled) - spelled), spelled)
        windows = self._windows[first + np.arange(len(first))]
        parts = (forms, self._words[used], windows, spelled)
        return WordCharInput(*map(torch.from_numpy, parts))

    def _spell_all(self) -> None:
        spelling = spell(self.vocabulary, self._numbers)
        self._windows = spelling.windows
        self._spelled = spelling.lengths
        self._first = np.cumsum(spelling.lengths) - spelling.lengths
        self._words = np.array([self.vocabulary.word(f) for f in self._numbers], dtype=np.int64)
        self._stale = False
