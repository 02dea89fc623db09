"""Small samples of public corpora: the same sentences for every system."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from innermost.corpus import Sentence, read, write
from innermost.corpus.quality.fingerprint import fingerprint

DEVELOPMENT = 200
"""Development sentences, at most: those who have little data have little of it."""


@dataclass(frozen=True)
class Corpus:
    name: str
    start: str | None
    """The shipped model that fits it best and was not trained on its training data."""
    seen: str = ""
    """What that model, or the models that taught it, knew of the corpus."""


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("wnut17", "english", "its teachers saw WNUT-17's training data in an early stage"),
        Corpus("gum", "litbank"),
        Corpus("litbank", "english", "its teachers saw LitBank's training data in an early stage"),
        Corpus("genia", None),
    )
}


def known(name: str) -> Corpus:
    """A corpus of this name; those that are not listed are in other languages than English."""
    return CORPORA.get(name, Corpus(name, "multilingual"))


@dataclass(frozen=True)
class Sample:
    """Some training sentences of a corpus; larger samples with the same number contain them."""

    data: Path
    corpus: str
    size: int | None
    """None: all."""
    number: int

    @cached_property
    def train(self) -> list[Sentence]:
        sentences = self._read("train")
        random.Random(self.number).shuffle(sentences)
        return sentences[: self.size]

    @cached_property
    def dev(self) -> list[Sentence]:
        sentences = self._read("dev")
        random.Random(self.number).shuffle(sentences)
        return sentences[:DEVELOPMENT]

    @cached_property
    def test(self) -> list[Sentence]:
        return self._read("test")

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.train)

    def write(self, folder: Path) -> None:
        """As files, for tools that read those."""
        for name, sentences in (("train", self.train), ("dev", self.dev), ("test", self.test)):
            write(sentences, folder / f"{name}.jsonl", format="native")

    def _read(self, split: str) -> list[Sentence]:
        path = self.data / self.corpus / f"{split}.jsonl"
        return [sentence for sentence in read(path) if sentence.tokens]
