"""Annotate plain text with several trained models together, as more data for another model.

python recipes/silver.py runs/litbank-finetuned/seed-?/model --text gutenberg.txt \\
    --like train.jsonl --tokens 4500000 --out silver.jsonl
cat train.jsonl train.jsonl train.jsonl train.jsonl silver.jsonl > both.jsonl

The mean of the models' emissions decides, which is better than any one of them. Paragraphs of the
text are taken at random, always the same for a seed; with ``--like``, those whose words are most
like the words of that data, in random order. A small model that learns from the text that large
ones have annotated comes near them, if they are much better than it is by itself.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import innermost
from innermost import crf
from innermost.corpus import Sentence, read, write
from innermost.nest import Span
from innermost.runtime.model import Model

FEWEST, MOST = 4, 100
"""Tokens of a sentence that is taken."""
WORD = re.compile(r"\w+")
MOST_TELLING = 2.5
"""How much, in nats, one word may say for or against a paragraph."""


def together(models: list[Model], sentences: list[Sentence]) -> Iterator[Sentence]:
    """Sentences with the entities that the models find together."""
    if any(model.types != models[0].types for model in models):
        sys.exit("the models know different types of entities: give models of one corpus")
    for parts in zip(*(model.decoded(sentences) for model in models), strict=True):
        batch, _, lengths, _ = parts[0]
        mean = np.mean([emissions for _, emissions, _, _ in parts], axis=0)
        for sentence, found in zip(batch, crf.decode(mean, lengths), strict=True):
            spans = [Span(start, end, models[0].types[kind]) for start, end, kind, _ in found]
            yield Sentence(sentence.tokens, spans, doc=sentence.doc)


def likest(lines: list[str], data: Path, tokens: int) -> list[str]:
    """The lines that are likest to the data, with ``tokens`` words in all.

    A line's likeness is the mean of what its words say: how much more frequent they are in the
    data than in the text. Rare words say little.
    """
    words = [WORD.findall(line) for line in lines]
    here = Counter(word for line in words for word in line)
    there = Counter(word for s in read(data) for token in s.tokens for word in WORD.findall(token))
    share = there.total() / max(here.total(), 1)
    telling = {word: math.log((there[word] + 1) / (n * share + 1)) for word, n in here.items()}
    telling = {w: max(-MOST_TELLING, min(MOST_TELLING, said)) for w, said in telling.items()}
    likeness = [sum(map(telling.__getitem__, w)) / max(len(w), 1) for w in words]
    chosen: list[str] = []
    for best in sorted(range(len(lines)), key=likeness.__getitem__, reverse=True):
        if tokens <= 0:
            break
        if len(words[best]) >= FEWEST:
            chosen.append(lines[best])
            tokens -= len(words[best])
    return chosen


def sentences_of(model: Model, lines: list[str], name: str, tokens: int) -> list[Sentence]:
    """Sentences of the lines, as the model splits them, with ``tokens`` tokens in all."""
    chosen: list[Sentence] = []
    for number, line in enumerate(lines):
        for offsets in model.tokenizer.split(line):
            if FEWEST <= len(offsets) <= MOST and tokens > 0:
                words = [line[start:end] for start, end in offsets]
                chosen.append(Sentence(words, doc=f"{name} {number}"))
                tokens -= len(words)
        if tokens <= 0:
            break
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--like", type=Path, metavar="DATA")
    parser.add_argument("--tokens", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    models = [innermost.load(model) for model in options.models]
    lines = options.text.read_text(encoding="utf-8").splitlines()
    if options.like:
        lines = likest(lines, options.like, options.tokens)
    random.Random(options.seed).shuffle(lines)
    sentences = sentences_of(models[0], lines, options.text.name, options.tokens)
    write(together(models, sentences), options.out)


if __name__ == "__main__":
    main()
