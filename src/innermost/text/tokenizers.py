"""The interface of a tokenizer: text to sentences of tokens, as character offsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from innermost.text.align import Offsets
from innermost.text.sentences import sentence_starts


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

    def split(self, text: str) -> list[list[Offsets]]:
        edges = [*sentence_starts(text), len(text)]
        sentences = (self.words(text, start, end) for start, end in pairwise(edges))
        return [sentence for sentence in sentences if sentence]
