"""Words and characters as numbers. Used in training and at run time, without torch."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from innermost.arrays import Ints

_OUTER = "-/()[],.;:'\"+"
_PARTS = re.compile(r"[-/()\[\],.;:'\"+\s]+")
UNKNOWN = 0
"""The word, or character, not seen in training."""
EDGE = 1
"""The character before the first and after the last of a word."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with pretrained vectors, words with trained ones, and characters.

    Word 0 is the unknown word, then come the ``trained`` words, then the ``pretrained``.
    """

    trained: list[str]
    pretrained: list[str]
    characters: list[str]
    _words: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _characters: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words = [*self.trained, *self.pretrained]
        object.__setattr__(self, "_words", {w: i for i, w in enumerate(words, start=1)})
        characters = {c: i for i, c in enumerate(self.characters, start=2)}
        object.__setattr__(self, "_characters", characters)

    def word(self, form: str) -> int:
        """The number of a word: as written, else its nearest relative, else unknown."""
        number = self._words.get(form)
        if number is not None:
            return number
        for relative in relatives(form):
            if (number := self._words.get(relative)) is not None:
                return number
        return UNKNOWN

    def spell(self, form: str) -> list[int]:
        """The numbers of a word's characters."""
        return [self._characters.get(c, UNKNOWN) for c in composed(form)]

    @property
    def character_count(self) -> int:
        """The number of character numbers, including the edges."""
        return len(self.characters) + 2


def composed(form: str) -> str:
    """The word with composed characters (NFC), which is the same however accents are encoded."""
    return form if form.isascii() else unicodedata.normalize("NFC", form)


def relatives(form: str) -> Iterator[str]:
    """Words whose vector can be used for ``form``, the nearest first.

    The form with composed characters; its lowercase form; the form without punctuation around it
    (``-mediated``); then its last part, which is the head of an English compound
    (``platelet-activating``), and its first (``NFAT-1``).
    """
    form = composed(form)
    yield form
    yield form.lower()
    parts = [part for part in _PARTS.split(form) if part]
    if not parts or parts == [form]:
        return
    for part in (form.strip(_OUTER), parts[-1], parts[0]):
        if len(part) > 1 and not part.isdigit():
            yield part
            yield part.lower()


def build_vocabulary(
    tokens: Iterable[str], pretrained: list[str], *, min_count: int = 1
) -> Vocabulary:
    """The vocabulary of training ``tokens``: those without a vector get a trained one."""
    counts = Counter(map(composed, tokens))
    known = set(pretrained)
    trained = [
        form
        for form, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= min_count and form not in known and form.lower() not in known
    ]
    return Vocabulary(trained, pretrained, sorted({c for form in counts for c in form}))


def extended(vocabulary: Vocabulary, tokens: Iterable[str], *, min_count: int = 1) -> Vocabulary:
    """With the words and characters of ``tokens`` that it lacks, after its own."""
    known = [*vocabulary.trained, *vocabulary.pretrained]
    more = build_vocabulary(tokens, known, min_count=min_count)
    characters = [c for c in more.characters if c not in set(vocabulary.characters)]
    return Vocabulary(
        [*vocabulary.trained, *more.trained],
        vocabulary.pretrained,
        [*vocabulary.characters, *characters],
    )


@dataclass(frozen=True, slots=True)
class Spelling:
    """The characters of several words, one after the other, each with its neighbors.

    A window of three characters is one row: ``[before, character, after]``.
    """

    windows: Ints
    """``[character, 3]``"""
    lengths: Ints
    """Characters in each word."""


def spell(vocabulary: Vocabulary, forms: Iterable[str]) -> Spelling:
    spelled = [vocabulary.spell(form) for form in forms]
    lengths = np.array([len(s) for s in spelled], dtype=np.int64)
    flat = np.array([c for s in spelled for c in s], dtype=np.int64)
    windows = np.full((len(flat), 3), EDGE, dtype=np.int64)
    windows[:, 1] = flat
    starts, ends = np.cumsum(lengths) - lengths, np.cumsum(lengths)
    inner = np.ones(len(flat), dtype=bool)
    inner[starts] = False
    windows[inner, 0] = flat[np.flatnonzero(inner) - 1]
    inner[:] = True
    inner[ends - 1] = False
    windows[inner, 2] = flat[np.flatnonzero(inner) + 1]
    return Spelling(windows, lengths)
