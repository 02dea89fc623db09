"""The width of text in Helvetica, Arial or a typeface with the same metrics.

Drawings without a browser place text by these widths and then fix each run to its width, so that
another typeface is squeezed or stretched and nothing moves.
"""

from __future__ import annotations

import unicodedata

_WIDTHS = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jckvsxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1015: "@",
    1112: "\t",
}
_LATIN = {character: width / 1000 for width, group in _WIDTHS.items() for character in group}
_OTHER = 0.58
_WIDE = 1.0
_JOINER = "\u200d"


def text_width(text: str) -> float:
    """The width of ``text`` in ems."""
    if text.isascii():
        return sum(_LATIN.get(character, 0.0) for character in text)
    width = 0.0
    joined = False
    for character in text:
        # A character after a joiner combines with the preceding one.
        width += 0.0 if joined else _character_width(character)
        joined = character == _JOINER
    return width


def _character_width(character: str) -> float:
    if character in _LATIN:
        return _LATIN[character]
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf", "Cc"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return _WIDE
    base = unicodedata.normalize("NFD", character)[0]
    return _LATIN.get(base, _OTHER)
