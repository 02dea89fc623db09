"""UTF-8 that was read as Latin-1 or Windows-1252, such as ``aÃ±o`` for ``año``."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence

_FEWEST_TOKENS = 3
_MOST = 0.5


class Mojibake:
    """Whether most tokens of a file that are not ASCII are shorter when they are decoded again.

    A single token may be correct: ``JOSÉ”`` can be decoded, too.
    """

    def __init__(self, findings: Report) -> None:
        self._findings = findings
        self._others: Counter[str] = Counter()
        self._garbled: dict[str, Counter[str]] = {}

    def add(self, sentence: Sentence, path: str) -> None:
        for token in sentence.tokens:
            if token.isascii():
                continue
            if decoded_again(token) is None:
                self._others[path] += 1
            else:
                self._garbled.setdefault(path, Counter())[token] += 1

    def finish(self) -> None:
        for path, garbled in self._garbled.items():
            number = garbled.total()
            if number < _FEWEST_TOKENS or number <= _MOST * (number + self._others[path]):
                continue
            ((example, _),) = garbled.most_common(1)
            is_latin = all(ord(character) < 256 for token in garbled for character in token)
            encoding = "LATIN1" if is_latin else "CP1252"
            self._findings.add(
                "warning",
                "UTF-8 that was read in another encoding",
                f"{number:,} tokens, such as {example!r} for {decoded_again(example)!r}: use the "
                f"original text, or convert it back: iconv -f UTF-8 -t {encoding}",
                path=path,
            )


@lru_cache(1 << 12)
def decoded_again(token: str) -> str | None:
    """What the characters of a token are as bytes of UTF-8, if they are."""
    try:
        text = b"".join(map(_byte, token)).decode()
    except UnicodeError:
        return None
    return text if len(text) < len(token) else None


def _byte(character: str) -> bytes:
    """The byte of a character in Latin-1, or else in Windows-1252."""
    code = ord(character)
    return bytes([code]) if code < 256 else character.encode("cp1252")
