"""Letters that are composed in one place and decomposed in another, such as ``é``."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.plurals import count

_SHOWN = 3
_FORMS = ("decomposed", "composed")


class UnicodeForms:
    """Counts the tokens of each form in each file; the rarer form is reported."""

    def __init__(self, findings: Report) -> None:
        self._findings = findings
        self._counts: dict[str, Counter[str]] = {form: Counter() for form in _FORMS}
        self._examples: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, sentence: Sentence, path: str) -> None:
        for token in sentence.tokens:
            if token.isascii():
                continue
            composed = unicodedata.is_normalized("NFC", token)
            if composed and unicodedata.is_normalized("NFD", token):
                continue
            form = "composed" if composed else "decomposed"
            self._counts[form][path] += 1
            examples = self._examples[form, path]
            if len(examples) < _SHOWN and token not in examples:
                examples.append(token)

    def finish(self) -> None:
        rare, common = sorted(_FORMS, key=lambda form: self._counts[form].total())
        many = self._counts[common].total()
        for path, number in self._counts[rare].items():
            shown = ", ".join(map(repr, self._examples[rare, path]))
            self._findings.add(
                "warning",
                "mixed Unicode forms",
                f"{count(number, f'{rare} token')}, such as {shown}, and {many:,} {common} ones "
                "in all: normalize all files to NFC, so that equal words count as equal",
                path=path,
            )
