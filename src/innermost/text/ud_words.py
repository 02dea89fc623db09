"""Words as in the English Universal Dependencies treebanks: Penn Treebank words, split further at
hyphens and slashes, except after a prefix (`pre-war`) and in web addresses."""

from __future__ import annotations

import re

from innermost.text import ptb_words
from innermost.text.align import Offsets

_PREFIXES = """
anti auto bi co counter cross de e ex extra inter intra macro mega meta micro mid mini multi neo non
over para post pre pro pseudo quasi re semi sub super trans tri ultra un under vice x
"""
_KEPT = frozenset(_PREFIXES.split())
_JOINT = re.compile(r"(?:(?<=[^\W_])|(?<=\.))[-/–](?=[^\W_])")
_ADDRESS = re.compile(r"https?:|www\.|[@#]|\S*\.(?:com|org|net|edu|gov|uk|de|eu)\b", re.IGNORECASE)


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``, a whole sentence."""
    tokens: list[Offsets] = []
    for first, last in ptb_words.words(text, start, end):
        if _ADDRESS.match(text, first, last):
            tokens.append((first, last))
        else:
            tokens += _split(text, first, last)
    return tokens


def _split(text: str, first: int, last: int) -> list[Offsets]:
    tokens: list[Offsets] = []
    for joint in _JOINT.finditer(text, first, last):
        if joint[0] == "-" and text[first : joint.start()].lower() in _KEPT:
            continue
        tokens += [(first, joint.start()), joint.span()]
        first = joint.end()
    return [*tokens, (first, last)]
