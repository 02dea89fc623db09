"""Tokens to the features of the word and character encoder, in NumPy.

A word's features depend on the word alone, so they are computed once per distinct word and cached
as a row of one matrix: the features of a batch are then a single indexing operation. The matrix has
a fixed number of rows; when it is full it is cleared.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from innermost.arrays import Floats
from innermost.forking import reset_in_children
from innermost.model_folder.plain_files import damaged
from innermost.parts.contract import Opening
from innermost.parts.wordchar.files import CHARACTERS, TRAINED, VECTORS, read_vocabulary
from innermost.parts.wordchar.settings import Settings
from innermost.parts.wordchar.vocabulary import UNKNOWN, Spelling, spell
from innermost.parts.wordchar.word_table import WordTable

CAPACITY = 16_384
"""Distinct words that are cached."""
PADDING = 0
"""The row of zeros after the end of a sentence."""
_PIECE_CHARACTERS = 256
"""Longer words are processed in pieces."""
_BLOCK_CHARACTERS = 8_192
"""Characters that are processed together."""


_WIDEST = 16_384
"""The most features of a word; all cached words have a row this wide."""


def open_features(folder: Path, settings: Settings, opening: Opening) -> WordFeatures:
    return WordFeatures(folder, opening)


class WordFeatures:
    """Rows of features for words: the word's vector, then its character features."""

    context = 0

    def __init__(self, folder: Path, opening: Opening, *, capacity: int = CAPACITY) -> None:
        self.vocabulary = read_vocabulary(folder)
        trained = len(self.vocabulary.trained) + 1
        self._trained = WordTable(folder / TRAINED, trained, None, read=opening.array)
        width = self._trained.width
        pretrained = len(self.vocabulary.pretrained)
        self._pretrained = WordTable(
            folder / VECTORS, pretrained, width if pretrained else None, read=opening.array
        )
        characters = opening.array(
            folder / CHARACTERS, (3, self.vocabulary.character_count, None)
        ).astype(np.float32)
        self._characters = characters
        self.dimension = width + characters.shape[2]
        if self.dimension > _WIDEST:
            raise damaged(folder / TRAINED, f"words have {self.dimension} features")
        self.capacity = capacity
        # Not np.zeros, which takes memory only as rows are filled: after an hour, a service should
        # need no more than at its start.
        self._matrix = np.full((capacity + 1, self.dimension), 0.0, dtype=np.float32)
        self._row: dict[str, int] = {}
        self._lock = Lock()
        reset_in_children(self)

    def knows(self, word: str) -> bool:
        return self.vocabulary.word(word) != UNKNOWN

    def reset_after_fork(self) -> None:
        self._lock = Lock()
        self._row = {}

    def prepare(self, documents: Sequence[Sequence[Sequence[str]]]) -> list[Sequence[str]]:
        """All sentences; words need no preparation."""
        return [tokens for sentences in documents for tokens in sentences]

    def part(self, item: Sequence[str], start: int, end: int) -> Sequence[str]:
        return item[start:end]

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Floats:
        """``[token, sentence, feature]``, zero after the end of a sentence."""
        time = max(map(len, sentences))
        if time * len(sentences) <= self.capacity:
            rows = np.full((time, len(sentences)), PADDING, dtype=np.int64)
            with self._lock:
                self._learn([token for sentence in sentences for token in sentence])
                row = self._row
                for column, sentence in enumerate(sentences):
                    rows[: len(sentence), column] = [row[token] for token in sentence]
                return self._matrix[rows]
        # More tokens than the matrix can have rows: process the sentences in pieces.
        step = max(self.capacity // len(sentences), 1)
        pieces = [[s[t : t + step] for s in sentences] for t in range(0, time, step)]
        return np.concatenate([self(piece) for piece in pieces])

    def __len__(self) -> int:
        """The number of words in the cache."""
        return len(self._row)

    def _learn(self, tokens: list[str]) -> None:
        """Make sure that all ``tokens`` have a row."""
        distinct = dict.fromkeys(tokens)
        new = [token for token in distinct if token not in self._row]
        if not new:
            return
        if len(self._row) + len(new) > self.capacity:
            self._row.clear()
            new = list(distinct)
        first = len(self._row) + 1
        rows = self._matrix[first : first + len(new)]
        self._fill(rows, new)
        self._row.update(zip(new, range(first, first + len(new)), strict=True))

    def _fill(self, rows: Floats, words: list[str]) -> None:
        own = len(self.vocabulary.trained) + 1
        width = self._trained.width
        numbers = np.array([self.vocabulary.word(word) for word in words], dtype=np.int64)
        trained = numbers < own
        rows[trained, :width] = self._trained[numbers[trained]]
        rows[~trained, :width] = self._pretrained[numbers[~trained] - own]
        rows[:, width:] = self._convolve(spell(self.vocabulary, words))

    def _convolve(self, spelling: Spelling) -> Floats:
        """The character CNN: ``[word, filter]``.

        Long words are cut into pieces and their maxima combined, so that memory stays small.
        """
        starts = np.cumsum(spelling.lengths) - spelling.lengths
        pieces = -(-spelling.lengths // _PIECE_CHARACTERS)
        first_piece = np.cumsum(pieces) - pieces
        within = np.arange(pieces.sum()) - np.repeat(first_piece, pieces)
        cuts = np.repeat(starts, pieces) + within * _PIECE_CHARACTERS
        maxima = np.empty((len(cuts), self._characters.shape[2]), dtype=np.float32)
        begin = 0
        while begin < len(cuts):
            limit = cuts[begin] + _BLOCK_CHARACTERS
            end = max(int(np.searchsorted(cuts, limit)), begin + 1)
            stop = int(cuts[end]) if end < len(cuts) else len(spelling.windows)
            windows = spelling.windows[cuts[begin] : stop]
            before, at, after = self._characters
            summed = before[windows[:, 0]]
            summed += at[windows[:, 1]]
            summed += after[windows[:, 2]]
            maxima[begin:end] = np.maximum.reduceat(summed, cuts[begin:end] - cuts[begin])
            begin = end
        return np.tanh(np.maximum.reduceat(maxima, first_piece))
