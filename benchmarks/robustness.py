"""How much a model's F1 depends on case, typing errors and genre.

    python -m benchmarks.robustness MODEL DATA.jsonl [--genres]

Each variant changes the tokens of the data one for one, so the gold spans stay where they are.
With ``--genres``, the documents of each genre are scored, too; the genre is the second part of a
document's name (``GUM_news_...``).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

import innermost
from innermost.corpus import Sentence, read

NEIGHBORS = {
    "a": "qs", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa",
    "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu",
    "z": "x",
}  # fmt: skip
"""Keys next to each other on an English keyboard."""


def mistyped(word: str, random_: random.Random) -> str:
    """With one letter left out, doubled, swapped with the next, or replaced by its neighbor."""
    if len(word) < 3 or not word.isalpha():
        return word
    i = random_.randrange(len(word))
    kind = random_.choice(["omit", "double", "swap", "neighbor"])
    if kind == "omit":
        return word[:i] + word[i + 1 :]
    if kind == "double":
        return word[:i] + word[i] + word[i:]
    if kind == "swap" and i + 1 < len(word):
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    letters = NEIGHBORS.get(word[i].lower())
    if not letters:
        return word
    letter = random_.choice(letters)
    return word[:i] + (letter.upper() if word[i].isupper() else letter) + word[i + 1 :]


def _typos(word: str, random_: random.Random) -> str:
    """Every twentieth letter is a typing error: long words have one more often."""
    return mistyped(word, random_) if random_.random() < 1 - 0.95 ** len(word) else word


VARIANTS: dict[str, Callable[[str, random.Random], str]] = {
    "as written": lambda word, _: word,
    "lower case": lambda word, _: word.lower(),
    "upper case": lambda word, _: word.upper(),
    "5% of words mistyped": lambda word, r: mistyped(word, r) if r.random() < 0.05 else word,
    "5% of letters mistyped": _typos,
}


def f1(model: innermost.Model, sentences: list[Sentence]) -> float:
    """Micro F1 of strict spans and types."""
    correct = total = 0
    documents = model.pipe([sentence.tokens for sentence in sentences])
    for sentence, document in zip(sentences, documents, strict=True):
        gold = {(e.start, e.end, e.label) for e in sentence.entities}
        predicted = {(e.token_start, e.token_end, e.label) for e in document.entities}
        correct += len(gold & predicted)
        total += len(gold) + len(predicted)
    return 200 * correct / max(total, 1)


def variant(
    sentences: Iterable[Sentence], change: Callable[[str, random.Random], str]
) -> list[Sentence]:
    random_ = random.Random(5)
    return [
        Sentence([change(token, random_) or token for token in s.tokens], s.entities, doc=s.doc)
        for s in sentences
    ]


def _genre(sentence: Sentence) -> str:
    return (sentence.doc or "").split("_")[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("data", type=Path)
    parser.add_argument("--genres", action="store_true")
    arguments = parser.parse_args()
    model = innermost.load(arguments.model)
    sentences = list(read(arguments.data))
    reference = f1(model, sentences)
    for name, change in VARIANTS.items():
        score = f1(model, variant(sentences, change))
        print(f"{name:24} {score:6.2f} {score / reference:7.1%}")
    if arguments.genres:
        for genre, group in groupby(sorted(sentences, key=_genre), key=_genre):
            members = list(group)
            count = sum(len(sentence.entities) for sentence in members)
            print(f"{genre:24} {f1(model, members):6.2f} {count:7,} entities")


if __name__ == "__main__":
    main()
