"""Split raw text into sentences and tokens with offsets; align character spans to tokens."""

from __future__ import annotations

from innermost.errors import UsageError
from innermost.text import (
    character_words,
    european_words,
    genia_words,
    ptb_words,
    ud_words,
    unicode_words,
    whitespace_words,
)
from innermost.text.align import Alignment, Offsets, align
from innermost.text.sentences import sentence_starts
from innermost.text.tokenizers import Tokenizer, WordTokenizer

__all__ = ["Alignment", "Offsets", "Tokenizer", "align", "names", "sentence_starts", "tokenizer"]

_TOKENIZERS = {
    "unicode": WordTokenizer("unicode", unicode_words.words),
    "ptb": WordTokenizer("ptb", ptb_words.words),
    "ud": WordTokenizer("ud", ud_words.words),
    "european": WordTokenizer("european", european_words.words),
    "genia": WordTokenizer("genia", genia_words.words),
    "characters": WordTokenizer("characters", character_words.words),
    "whitespace": WordTokenizer("whitespace", whitespace_words.words, keeps_invisible=True),
}


def names() -> list[str]:
    """The names of the tokenizers."""
    return list(_TOKENIZERS)


def tokenizer(name: str) -> Tokenizer:
    """The tokenizer with this name."""
    if name not in _TOKENIZERS:
        raise UsageError(f"unknown tokenizer {name!r}", hint=f"one of: {', '.join(_TOKENIZERS)}")
    return _TOKENIZERS[name]
