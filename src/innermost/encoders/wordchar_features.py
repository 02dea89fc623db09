"""Sentences as the input of the word and character encoder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from innermost.encoders.vocabulary import Vocabulary, spell
from innermost.encoders.wordchar import WordCharInput

Ints = npt.NDArray[np.int64]


class WordCharFeatures:
    """Gives every distinct word form a number once, and joins sentences into batches."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._numbers: dict[str, int] = {}
        self._stale = True

    def prepare(self, tokens: Sequence[str]) -> Ints:
        """The form numbers of a sentence."""
        numbers = self._numbers
        before = len(numbers)
        forms = [numbers.setdefault(token, len(numbers)) for token in tokens]
        self._stale |= len(numbers) > before
        return np.array(forms, dtype=np.int64)

    def collate(self, sentences: Sequence[Ints]) -> WordCharInput:
        """A batch of prepared sentences, which must be in descending order of length."""
        if self._stale:
            self._spell_all()
        lengths = np.array([len(s) for s in sentences], dtype=np.int64)
        if (np.diff(lengths) > 0).any():
            raise ValueError("the sentences of a batch must be in descending order of length")
        used, inverse = np.unique(np.concatenate(sentences), return_inverse=True)
        inside = np.arange(lengths[0]) < lengths[:, None]
        numbers = np.zeros(inside.shape, dtype=np.int64)
        numbers[inside] = inverse
        token, sentence = np.nonzero(inside.T)
        forms = numbers[sentence, token]
        spelled = self._spelled[used]
        first = np.repeat(self._first[used] - (np.cumsum(spelled) - spelled), spelled)
        windows = self._windows[first + np.arange(len(first))]
        words = self._words[used]
        sizes = inside.sum(axis=0)
        parts = (forms, sentence, token, words, windows, spelled, sizes, lengths)
        return WordCharInput(*map(torch.from_numpy, parts))

    def _spell_all(self) -> None:
        spelling = spell(self.vocabulary, self._numbers)
        self._windows = spelling.windows
        self._spelled = spelling.lengths
        self._first = np.cumsum(spelling.lengths) - spelling.lengths
        self._words = np.array([self.vocabulary.word(f) for f in self._numbers], dtype=np.int64)
        self._stale = False
