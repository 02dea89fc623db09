"""Raw text to sentences to tokens with offsets; character spans to token spans."""

from __future__ import annotations

import re
from functools import cache

from innermost.errors import UsageError
from innermost.text.align import Alignment, align
from innermost.text.sentences import sentence_starts
from innermost.text.tokenizers import PatternTokenizer, Tokenizer

__all__ = ["Alignment", "Tokenizer", "align", "names", "sentence_starts", "tokenizer"]

_PATTERNS = {"unicode": r"\w+|[^\w\s]", "whitespace": r"\S+"}


def names() -> list[str]:
    return list(_PATTERNS)


@cache
def tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name."""
    if name not in _PATTERNS:
        raise UsageError(f"no tokenizer {name!r}", hint=f"one of: {', '.join(_PATTERNS)}")
    return PatternTokenizer(name, re.compile(_PATTERNS[name]))
