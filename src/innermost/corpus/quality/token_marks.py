"""Marks in tokens that are not in raw text, such as the segmentation digits of Weibo NER."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence

_FEWEST_TOKENS = 100
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Mark:
    what: str
    has: Callable[[str], bool]
    enough: float
    """The share of the tokens of a file from which on the mark is no part of its text."""
    advice: str


def _ends_in_a_digit(token: str) -> bool:
    """Whether a digit follows something else."""
    return len(token) > 1 and token[-1] in "0123456789" and not token[:-1].isdecimal()


def _has_underscore(token: str) -> bool:
    return "_" in token


_MARKS = (
    _Mark(
        "tokens end in digits",
        _ends_in_a_digit,
        0.9,
        "if the digits mark the segmentation, as in Weibo NER, remove them before training",
    ),
    _Mark(
        "underscores in tokens",
        _has_underscore,
        0.05,
        "if they stand for spaces, as in segmented Vietnamese, raw text has other tokens: divide "
        "the words there, or segment new text in the same way before prediction",
    ),
)


class TokenMarks:
    """Whether so many tokens of a file have a mark, as in ``科0 技1``, that it is not text."""

    def __init__(self, findings: Report) -> None:
        self._findings = findings
        self._tokens: Counter[str] = Counter()
        self._marked: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, sentence: Sentence, path: str) -> None:
        self._tokens[path] += len(sentence.tokens)
        for mark in _MARKS:
            marked = [token for token in sentence.tokens if mark.has(token)]
            self._marked[path, mark.what] += len(marked)
            missing = _SHOWN - len(self._examples[path, mark.what])
            self._examples[path, mark.what] += marked[: max(missing, 0)]

    def finish(self) -> None:
        for path, tokens in self._tokens.items():
            for mark in _MARKS:
                marked = self._marked[path, mark.what]
                if tokens >= _FEWEST_TOKENS and marked >= mark.enough * tokens:
                    shown = " ".join(self._examples[path, mark.what])
                    detail = f"{marked:,} of {tokens:,} tokens, such as {shown}: {mark.advice}"
                    self._findings.add("warning", mark.what, detail, path=path)
