"""Words of any script: letters and digits together, every other visible character by itself."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from innermost.text.align import Offsets

# Chinese characters and Hiragana, written without spaces: one token each.
_IDEOGRAPHS = (
    "\u3005-\u3007\u3040-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Joiners, variation selectors, skin tones: they combine with the preceding character.
_EXTENDING = (
    "\u00ad\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"
)
# Between Hebrew letters, where quotes mark acronyms and foreign sounds, as Unicode splits words.
_HEBREW_MARK = "(?<=[\u05d0-\u05ea])[\"'”’\u05f3\u05f4](?=[\u05d0-\u05ea])"
_FIRST_MARK, _LAST_MARK = 0x300, 0x1E94A


def words(text: str, start: int, end: int) -> list[Offsets]:
    """The words of ``text[start:end]``."""
    return [match.span() for match in _pattern().finditer(text, start, end)]


@cache
def _pattern() -> re.Pattern[str]:
    mark = extending()
    letter = rf"[^\W{_IDEOGRAPHS}]"
    symbol = r"[^\w\s]"
    return re.compile(
        rf"\d+(?:[.,]\d+)+"  # 3.5 and 1,000,000
        rf"|{letter}+(?:(?:{mark}+|{_HEBREW_MARK}){letter}*)*"
        rf"|[{_IDEOGRAPHS}]{mark}*"
        rf"|[\U0001f1e6-\U0001f1ff]{{2}}"  # a flag: two regional indicator letters
        rf"|({symbol})\1*(?:\u200d{symbol}|{mark})*"  # ... and == and families of emoji
    )


def extending() -> str:
    """A character class of what belongs to the character before it."""
    return f"[{_combining_marks()}{_EXTENDING}]"


def _combining_marks() -> str:
    """All combining marks as ranges for a character class; ``\\w`` matches none of them."""
    marks = [
        code
        for code in range(_FIRST_MARK, _LAST_MARK + 1)
        if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")
    ]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
