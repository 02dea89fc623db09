"""Sentences of a text with known tokens, whose source does not mark sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from innermost.corpus.context import Context
from innermost.text import Offsets, sentence_starts

_LINE = re.compile(r"^", re.MULTILINE)
WAYS = ("split", "lines", "whole")


def in_sentences(text: str, tokens: Sequence[Offsets], context: Context) -> list[Sequence[Offsets]]:
    """The tokens of each sentence, which begins where raw text would be split.

    With the setting ``sentences=lines`` each line is one, with ``sentences=whole`` the text.
    """
    way = context.options.choice("sentences", WAYS)
    if way == "whole":
        return [tokens]
    starts = sentence_starts(text) if way == "split" else [m.start() for m in _LINE.finditer(text)]
    edges = sorted({0, *(bisect_left(tokens, (start, 0)) for start in starts), len(tokens)})
    return [tokens[first:last] for first, last in pairwise(edges)]
