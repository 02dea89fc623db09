"""Tokenizers: text to sentences of tokens, each token as its character offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from innermost.text.align import Offsets
from innermost.text.sentences import sentence_starts


class Tokenizer(Protocol):
    """Tokens are in order and do not overlap; what lies between them is white space."""

    @property
    def name(self) -> str: ...

    def split(self, text: str) -> list[list[Offsets]]:
        """The sentences of ``text``, each a list of the offsets of its tokens."""


@dataclass(frozen=True, slots=True)
class PatternTokenizer:
    """Every match of a pattern is a token."""

    name: str
    pattern: re.Pattern[str]

    def split(self, text: str) -> list[list[Offsets]]:
        edges = [*sentence_starts(text), len(text)]
        found = (
            [match.span() for match in self.pattern.finditer(text, start, end)]
            for start, end in pairwise(edges)
        )
        return [sentence for sentence in found if sentence]
