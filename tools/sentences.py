"""Score the sentence splitter: F1 of boundaries on GENIA abstracts and LitBank novels.

    python tools/sentences.py DATA

GENIA is read with its original spacing. LitBank is only available tokenized, so its text is
restored by simple rules.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from innermost import corpus
from innermost.corpus import Sentence
from innermost.text import sentence_starts

_OPENING = frozenset("([{“‘")
_CLOSING = frozenset(".,;:!?)]}”’%")


class Score(NamedTuple):
    precision: float
    recall: float
    f1: float
    wrong: list[str]


def score(documents: Iterable[list[str]]) -> Score:
    """Compare the boundaries found in the concatenated sentences with the original ones."""
    correct = found = expected = 0
    wrong: list[str] = []
    for sentences in documents:
        text = "".join(sentences)
        gold, position = set(), 0
        for sentence in sentences[:-1]:
            position += len(sentence)
            gold.add(position)
        predicted = set(sentence_starts(text)) - {0}
        correct += len(gold & predicted)
        found += len(predicted)
        expected += len(gold)
        for kind, places in (("missed", gold - predicted), ("spurious", predicted - gold)):
            wrong += [
                f"{kind}: {text[p - 30 : p]!r} | {text[p : p + 20]!r}" for p in sorted(places)
            ]
    precision, recall = correct / max(found, 1), correct / max(expected, 1)
    return Score(precision, recall, 2 * correct / max(found + expected, 1), wrong)


def genia(folder: Path) -> Iterator[list[str]]:
    for _, run in corpus.documents(corpus.read(folder / "raw", format="genia")):
        yield [sentence.text for sentence in run]


def litbank(folder: Path) -> Iterator[list[str]]:
    for name in ("train", "dev", "test"):
        for _, run in corpus.documents(corpus.read(folder / f"{name}.jsonl")):
            yield _detokenized(run)


def _detokenized(sentences: list[Sentence]) -> list[str]:
    texts: list[str] = []
    inside_quotes = False
    for sentence in sentences:
        text, glued = "", True
        for token in sentence.tokens:
            closing = token[0] in _CLOSING or token in ("n't", "'", "--") or token[:1] == "'"
            if token == '"':
                closing = inside_quotes
                inside_quotes = not inside_quotes
            text += token if glued or closing else f" {token}"
            glued = token[-1] in _OPENING or token == "--" or (token == '"' and inside_quotes)
        # A closing quote that was counted with the next sentence still belongs to this one.
        texts.append(text + " ")
    return texts


def main() -> None:
    data = Path(sys.argv[1])
    for name, documents in (
        ("genia", genia(data / "genia")),
        ("litbank", litbank(data / "litbank")),
    ):
        result = score(documents)
        print(f"{name}: P {result.precision:.4f} R {result.recall:.4f} F1 {result.f1:.4f}")
        if len(sys.argv) > 2:
            print("\n".join(result.wrong))


if __name__ == "__main__":
    main()
