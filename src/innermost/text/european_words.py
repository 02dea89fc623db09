"""Words of European languages: Penn Treebank words, split after an elided article or pronoun
(`l'` `homme`, `d'` `Azur`). Hyphens stay inside words: `Müller-Lüdenscheidt`."""

from __future__ import annotations

import re

from innermost.text import ptb_words
from innermost.text.align import Offsets

_ELISION = re.compile(
    r"(?:[ldjtmnsc]|qu|jusqu|lorsqu|puisqu|quoiqu|gl|un|quest|quell|bell|sant"
    r"|(?:d|n|a|su|co)(?:e)?ll)['’](?=[^\W\d_]{2})",
    re.IGNORECASE,
)


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``, a whole sentence."""
    tokens: list[Offsets] = []
    for first, last in ptb_words.words(text, start, end):
        elided = _ELISION.match(text, first, last)
        is_name = elided and elided[0] in ("D'", "D’") and text[elided.end()].isupper()
        if elided and not is_name:  # D'Angelo
            tokens += [elided.span(), (elided.end(), last)]
        else:
            tokens.append((first, last))
    return tokens
