"""What is a word in any script."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"


def is_word(token: str) -> bool:
    """Whether a token consists of letters, and of the marks and joiners on them: *हिन्दी*.

    ``str.isalpha`` is false for most words of the scripts of India and Southeast Asia.
    """
    return token.isalpha() or (token[:1].isalpha() and all(map(_is_in_word, token)))


def has_no_case(word: str) -> bool:
    """Whether a word is in a script without capital letters, such as Arabic."""
    return word.lower() == word.upper()


def _is_in_word(character: str) -> bool:
    return (
        character.isalpha()
        or character in _JOINERS
        or unicodedata.category(character).startswith("M")
    )
