"""Contextual string embeddings (Akbik et al. 2018): states of character language models at words.

The conventions are those of the flair library. A sentence is the line ``"\\n" + words joined by
single spaces + " "``. A word's vector is the state of the forward model at the space after it and
that of the backward model, which reads from the end, at the space before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from innermost.encoders.character_lm import LINE_START, CharacterLM

CHUNK = 256
"""Characters that are read in one go: a line of any length is read with the same memory."""
_ROWS = 128
"""Sentences that are read side by side."""


def string_embeddings(
    models: Sequence[CharacterLM], sentences: Sequence[Sequence[str]]
) -> list[Tensor]:
    """``[token, width]`` for each sentence, on the CPU; the models side by side."""
    found: list[Tensor] = [torch.empty(0)] * len(sentences)
    # Sentences of about the same length together: little is read in vain.
    order = sorted(range(len(sentences)), key=lambda i: _length(sentences[i]), reverse=True)
    for start in range(0, len(order), _ROWS):
        chosen = order[start : start + _ROWS]
        columns = [word_states(model, [sentences[i] for i in chosen]) for model in models]
        for i, parts in zip(chosen, zip(*columns, strict=True), strict=True):
            found[i] = torch.cat(parts, dim=-1)
    return found


@torch.no_grad()
def word_states(model: CharacterLM, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
    """``[token, hidden]`` for each sentence, on the CPU."""
    lines = [_as_read(model, sentence) for sentence in sentences]
    order = sorted(range(len(lines)), key=lambda i: _length(lines[i]), reverse=True)
    texts = [LINE_START + "".join(f"{token} " for token in lines[i]) for i in order]
    lengths = np.array([len(text) for text in texts])
    numbers = np.zeros((len(texts), lengths.max(initial=0)), dtype=np.int64)
    for row, text in enumerate(texts):
        numbers[row, : len(text)] = model.spell(text)
    # The space after each word, as (row, place), in the order of places.
    spaces = [np.cumsum([len(token) + 1 for token in lines[i]], dtype=np.int64) for i in order]
    rows = np.repeat(np.arange(len(texts)), [len(s) for s in spaces])
    places = np.concatenate([*spaces, np.empty(0, np.int64)])
    states = torch.empty(len(places), model.hidden)
    for start, outputs in _read(model, torch.from_numpy(numbers), lengths):
        wanted = np.flatnonzero((places >= start) & (places < start + outputs.shape[1]))
        chosen = outputs[rows[wanted], places[wanted] - start]
        states[wanted] = chosen.to("cpu", torch.float32)
    by_row = torch.split(states, [len(s) for s in spaces])
    found: list[Tensor] = [states] * len(lines)
    for row, i in enumerate(order):
        found[i] = by_row[row] if model.direction == "forward" else by_row[row].flip(0)
    return found


def _length(sentence: Sequence[str]) -> int:
    """Characters of the words and of the spaces after them."""
    return sum(map(len, sentence)) + len(sentence)


def _as_read(model: CharacterLM, sentence: Sequence[str]) -> list[str]:
    """The words in the order, and with the spelling, in which the model meets them."""
    if model.direction == "forward":
        return list(sentence)
    return [token[::-1] for token in reversed(sentence)]


def _read(
    model: CharacterLM, numbers: Tensor, lengths: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> Iterator[tuple[int, Tensor]]:
    """For one chunk after another: where it begins, and ``[row, character, hidden]``.

    Rows are in descending order of length; those that have ended are not read on.
    """
    device = model.encoder.weight.device
    state = model.no_state(len(numbers))
    for start in range(0, numbers.shape[1], CHUNK):
        going = int((lengths > start).sum())
        state = (state[0][:, :going].contiguous(), state[1][:, :going].contiguous())
        chunk = numbers[:going, start : start + CHUNK].to(device)
        outputs, state = model.states(chunk, state)
        yield start, outputs
