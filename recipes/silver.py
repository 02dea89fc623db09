"""Annotate plain text with several trained models together, as more data for another model.

python recipes/silver.py runs/litbank-finetuned/seed-?/model --text gutenberg.txt \\
    --tokens 540000 --out silver.jsonl
cat train.jsonl train.jsonl train.jsonl train.jsonl silver.jsonl > both.jsonl

The mean of the models' emissions decides, which is better than any one of them. Paragraphs of the
text are taken at random, always the same for a seed. A small model that learns from the text that
large ones have annotated comes near them, if they are much better than it is by itself.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import innermost
from innermost import crf
from innermost.corpus import Sentence, write
from innermost.nest import Span
from innermost.runtime.model import Model

FEWEST, MOST = 4, 100
"""Tokens of a sentence that is taken."""


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


def sample(model: Model, path: Path, tokens: int, seed: int) -> list[Sentence]:
    """Sentences of random lines, as the model splits them, with ``tokens`` tokens in all."""
    lines = path.read_text(encoding="utf-8").splitlines()
    random.Random(seed).shuffle(lines)
    chosen: list[Sentence] = []
    for number, line in enumerate(lines):
        for offsets in model.tokenizer.split(line):
            if FEWEST <= len(offsets) <= MOST and tokens > 0:
                words = [line[start:end] for start, end in offsets]
                chosen.append(Sentence(words, doc=f"{path.name} {number}"))
                tokens -= len(words)
        if tokens <= 0:
            break
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    models = [innermost.load(model) for model in options.models]
    sentences = sample(models[0], options.text, options.tokens, options.seed)
    write(together(models, sentences), options.out)


if __name__ == "__main__":
    main()
