"""Contextual string embeddings (Akbik et al. 2018): states of character language models at words.
Used in training and at run time, without torch.

The conventions are those of the flair library. A sentence is the line ``"\\n" + words joined by
single spaces + " "``. A word's vector is the state of the forward model at the space after it and
the state of the backward model, which reads from the end, at the space before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np

from innermost.arrays import Floats, Ints

Direction = Literal["forward", "backward"]

LINE_START = "\n"
"""Begins every line, in training and when words are embedded."""
CHUNK_CHARACTERS = 256
"""Characters read at once, so that memory does not depend on the length of a line."""
_MAX_ROWS = 128
"""Sentences read in parallel."""


class Reader(Protocol):
    """A character language model in any framework. A backward one reads lines from the end."""

    @property
    def direction(self) -> Direction: ...

    @property
    def hidden(self) -> int: ...

    def spell(self, text: str) -> Ints:
        """The numbers of the characters of ``text``, in order."""
        ...

    def read(self, numbers: Ints, state: Any, rows: Ints, places: Ints) -> tuple[Floats, Any]:
        """Read ``numbers [row, character]``; return the states at some places, and the last state.

        ``state`` is the result of the previous call, or ``None`` at the beginning of the lines. It
        may have more rows than ``numbers``: lines that have ended since.
        """
        ...


def string_embeddings(
    readers: Sequence[Reader], sentences: Sequence[Sequence[str]]
) -> list[Floats]:
    """``[token, width]`` for each sentence, with the models concatenated."""
    vectors: list[Floats] = [np.empty(0, np.float32)] * len(sentences)
    # Sentences of similar length go together, which keeps padding small.
    order = sorted(range(len(sentences)), key=lambda i: _length(sentences[i]), reverse=True)
    for start in range(0, len(order), _MAX_ROWS):
        together = order[start : start + _MAX_ROWS]
        columns = [word_states(reader, [sentences[i] for i in together]) for reader in readers]
        for i, parts in zip(together, zip(*columns, strict=True), strict=True):
            vectors[i] = np.concatenate(parts, axis=-1)
    return vectors


def word_states(reader: Reader, sentences: Sequence[Sequence[str]]) -> list[Floats]:
    """``[token, hidden]`` for each sentence."""
    lines = [_as_read(reader, sentence) for sentence in sentences]
    order = sorted(range(len(lines)), key=lambda i: _length(lines[i]), reverse=True)
    texts = [LINE_START + "".join(f"{token} " for token in lines[i]) for i in order]
    lengths = np.array([len(text) for text in texts])
    numbers = np.zeros((len(texts), lengths.max(initial=0)), dtype=np.int64)
    for row, text in enumerate(texts):
        numbers[row, : len(text)] = reader.spell(text)
    # The space after each word.
    spaces = [np.cumsum([len(token) + 1 for token in lines[i]], dtype=np.int64) for i in order]
    counts = [len(places) for places in spaces]
    rows = np.repeat(np.arange(len(texts)), counts)
    places = np.concatenate([*spaces, np.empty(0, np.int64)])
    states = np.empty((len(places), reader.hidden), dtype=np.float32)
    state = None
    for start in range(0, numbers.shape[1], CHUNK_CHARACTERS):
        going = int((lengths > start).sum())
        chunk = numbers[:going, start : start + CHUNK_CHARACTERS]
        wanted = np.flatnonzero((places >= start) & (places < start + CHUNK_CHARACTERS))
        states[wanted], state = reader.read(chunk, state, rows[wanted], places[wanted] - start)
    by_line: list[Floats] = [states] * len(lines)
    for i, own in zip(order, np.split(states, np.cumsum(counts)[:-1]), strict=True):
        by_line[i] = own if reader.direction == "forward" else own[::-1]
    return by_line


def _length(sentence: Sequence[str]) -> int:
    """Characters of the words and of the spaces after them."""
    return sum(map(len, sentence)) + len(sentence)


def _as_read(reader: Reader, sentence: Sequence[str]) -> list[str]:
    """The words in the order and spelling in which the model reads them."""
    if reader.direction == "forward":
        return list(sentence)
    return [token[::-1] for token in reversed(sentence)]
