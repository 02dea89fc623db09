"""Text as sub-words of an encoder's tokenizer, and sequences of them to mask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from innermost.errors import ModelError
from innermost.parts.transformer.huggingface import Pretrained
from innermost.pretraining.encoded_text import Numbers
from innermost.pretraining.masked_lm import MaskedBatch, choose, hide
from innermost.pretraining.text import batches

_MASKS = ("[MASK]", "<mask>")


class SubwordText:
    """A sub-word is stored as twice its number, plus one if it continues a word."""

    def __init__(self, pretrained: Pretrained) -> None:
        self._tokenizer = Tokenizer.from_str(pretrained.tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._before = torch.tensor(pretrained.subwords.before, dtype=torch.int64)
        self._after = torch.tensor(pretrained.subwords.after, dtype=torch.int64)
        self.specials = len(self._before) + len(self._after)
        masks = [n for n in map(self._tokenizer.token_to_id, _MASKS) if n is not None]
        if not masks:
            raise ModelError(
                f"the tokenizer has none of {', '.join(_MASKS)}: the encoder has no mask token"
            )
        self._mask = int(masks[0])
        self._vocabulary = int(self._tokenizer.get_vocab_size())

    def encode(self, paths: Sequence[str | Path]) -> Iterator[list[Numbers]]:
        """The encoded lines of files, each with the final special token of a sequence."""
        end = 2 * self._after.numpy()
        for batch in batches(paths):
            encodings = self._tokenizer.encode_batch(batch, add_special_tokens=False)
            yield [np.concatenate((_coded(encoding), end)) for encoding in encodings]

    def masked(
        self, coded: Numbers, *, whole_words: bool, generator: torch.Generator
    ) -> MaskedBatch:
        """A masked batch from ``[sequence, position]`` of an encoded text."""
        inner = torch.from_numpy(coded.astype(np.int64))
        numbers, continues = inner // 2, inner % 2 == 1
        guessed = choose(continues, whole_words=whole_words, generator=generator)
        guessed &= ~torch.isin(numbers, self._after)
        hidden = hide(
            numbers, guessed, mask=self._mask, vocabulary=self._vocabulary, generator=generator
        )
        whole = torch.cat((_rows(self._before, inner), hidden, _rows(self._after, inner)), 1)
        sequence, position = guessed.nonzero(as_tuple=True)
        places = sequence * whole.shape[1] + len(self._before) + position
        return MaskedBatch(whole, places, numbers[guessed])


class Sequences:
    """A text cut into sequences of the same length, so that nothing is padded.

    The last one ends where the text does, and may overlap the one before.
    """

    def __init__(self, numbers: Numbers, length: int) -> None:
        self._numbers = numbers
        self._length = min(length, len(numbers))
        self.count = -(-len(numbers) // self._length) if self._length else 0

    def read(self, chosen: Numbers) -> Numbers:
        """``[sequence, position]``"""
        starts = np.minimum(chosen * self._length, len(self._numbers) - self._length)
        found: Numbers = self._numbers[starts[:, None] + np.arange(self._length)]
        return found


def _rows(numbers: Tensor, like: Tensor) -> Tensor:
    return numbers.expand(len(like), -1)


def _coded(encoding: Any) -> Numbers:
    words = np.array(encoding.word_ids, dtype=np.float64)  # NaN, for no word, equals nothing
    coded: Numbers = 2 * np.array(encoding.ids, dtype=np.int64)
    coded[1:] += words[1:] == words[:-1]
    return coded
