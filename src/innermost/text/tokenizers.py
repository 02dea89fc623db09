"""The interface of a tokenizer: text to sentences of tokens, as character offsets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from innermost.text.align import INVISIBLE, Offsets
from innermost.text.sentences import sentence_starts

_INVISIBLE = re.compile(f"[{INVISIBLE}]+")


class Tokenizer(Protocol):
    """Tokens are ordered, not empty, and do not overlap.

    There is no visible text between them: only whitespace and invisible characters.
    """

    @property
    def name(self) -> str: ...

    def split(self, text: str) -> list[list[Offsets]]:
        """The sentences of ``text``, each a list of the offsets of its tokens, none empty."""


@dataclass(frozen=True, slots=True)
class WordTokenizer:
    """Splits sentences first, then the words in each."""

    name: str
    words: Callable[[str, int, int], list[Offsets]]
    """The words of ``text[start:end]``, a whole sentence, as offsets in ``text``."""

    keeps_invisible: bool = False
    """Whether invisible characters belong to the words, in text that is already tokenized."""

    def split(self, text: str) -> list[list[Offsets]]:
        if not self.keeps_invisible:
            text = _INVISIBLE.sub(lambda run: " " * len(run[0]), text)
        edges = [*sentence_starts(text), len(text)]
        sentences = (self.words(text, start, end) for start, end in pairwise(edges))
        return [sentence for sentence in sentences if sentence]
