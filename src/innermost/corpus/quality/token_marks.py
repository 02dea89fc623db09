"""Marks at the ends of tokens that are not text, such as the segmentation digits of Weibo NER."""

from __future__ import annotations

from collections import Counter, defaultdict

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence

_FEWEST_TOKENS = 100
_NEARLY_ALL = 0.9
_SHOWN = 3


class TokenMarks:
    """Whether nearly every token of a file ends in a digit, as in ``科0 技1``."""

    def __init__(self, findings: Report) -> None:
        self._findings = findings
        self._tokens: Counter[str] = Counter()
        self._marked: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = defaultdict(list)

    def add(self, sentence: Sentence, path: str) -> None:
        marked = [token for token in sentence.tokens if _ends_in_a_digit(token)]
        self._tokens[path] += len(sentence.tokens)
        self._marked[path] += len(marked)
        missing = _SHOWN - len(self._examples[path])
        self._examples[path] += marked[: max(missing, 0)]

    def finish(self) -> None:
        for path, tokens in self._tokens.items():
            if tokens >= _FEWEST_TOKENS and self._marked[path] >= _NEARLY_ALL * tokens:
                shown = " ".join(self._examples[path])
                self._findings.add(
                    "warning",
                    "tokens end in digits",
                    f"{self._marked[path]:,} of {tokens:,} tokens, such as {shown}: if the digits "
                    "mark the segmentation, as in Weibo NER, remove them before training",
                    path=path,
                )


def _ends_in_a_digit(token: str) -> bool:
    """Whether a digit follows something else."""
    return len(token) > 1 and token[-1] in "0123456789" and not token[:-1].isdecimal()
