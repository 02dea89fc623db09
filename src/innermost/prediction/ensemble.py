"""Annotate text with several models together, as training data for another one (distillation).

The mean of the models' emissions decides, which is better than any one of them. A small model
trained on text that large models have annotated comes close to them, if they are much better than
the small model alone.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from innermost import crf
from innermost.corpus import Sentence
from innermost.corpus.sentence import documents
from innermost.errors import UsageError
from innermost.nest import Span
from innermost.runtime.batches import windows
from innermost.runtime.model import Model
from innermost.text import Tokenizer

MIN_TOKENS, MAX_TOKENS = 4, 100
"""Token limits for annotated sentences."""
_WORD = re.compile(r"\w+")
_MOST_EVIDENCE = 2.5
"""The most evidence, in nats, of one word for or against a line."""
_CHUNK = 4096


class Line(NamedTuple):
    name: str
    """Of its document: ``news.txt:28``."""
    text: str


def annotate(models: Sequence[Model], sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Sentences with the entities that the models find together, in any order."""
    if any(model.types != models[0].types for model in models):
        listed = "; ".join(f"{model.name}: {', '.join(model.types)}" for model in models)
        raise UsageError(
            f"the models have different types ({listed})", hint="use models with the same types"
        )
    types = models[0].types
    # Neighbors in a document are kept together only if a model uses context.
    in_context = any(model.pipeline.features.context for model in models)
    grouped = (group for _, group in documents(sentences))
    groups = grouped if in_context else ([sentence] for sentence in sentences)
    for window in windows(groups, len, _CHUNK, _CHUNK):
        chunk = [sentence for group in window for sentence in group]
        for parts in zip(*(model.decoded(chunk) for model in models), strict=True):
            batch, _, lengths, _ = parts[0]
            mean = np.mean([emissions for _, emissions, _, _ in parts], axis=0)
            for sentence, entities in zip(batch, crf.decode(mean, lengths), strict=True):
                spans = [Span(start, end, types[kind]) for start, end, kind, _ in entities]
                yield Sentence(sentence.tokens, spans, doc=sentence.doc)


def choose_lines(
    lines: Sequence[Line], tokens: int, seed: int, like: Iterable[Sentence] | None = None
) -> list[Line]:
    """Lines in random order; with ``like``, the most similar ones, ``tokens`` words in total."""
    chosen = list(lines) if like is None else most_similar(lines, like, tokens)
    random.Random(seed).shuffle(chosen)
    return chosen


def most_similar(lines: Sequence[Line], data: Iterable[Sentence], tokens: int) -> list[Line]:
    """The lines that are most similar to the data, ``tokens`` words in total.

    The similarity of a line is the mean evidence of its words: how much more frequent they are in
    the data than in the lines. Rare words count little.
    """
    words = [_WORD.findall(line.text) for line in lines]
    here = Counter(word for line in words for word in line)
    there = Counter(word for s in data for token in s.tokens for word in _WORD.findall(token))
    share = there.total() / max(here.total(), 1)
    evidence = {
        word: max(
            -_MOST_EVIDENCE,
            min(_MOST_EVIDENCE, math.log((there[word] + 1) / (count * share + 1))),
        )
        for word, count in here.items()
    }
    similarity = [sum(map(evidence.__getitem__, line)) / max(len(line), 1) for line in words]
    chosen: list[Line] = []
    for index in sorted(range(len(lines)), key=similarity.__getitem__, reverse=True):
        if tokens <= 0:
            break
        if len(words[index]) >= MIN_TOKENS:
            chosen.append(lines[index])
            tokens -= len(words[index])
    return chosen


def split_lines(lines: Iterable[Line], tokenizer: Tokenizer, tokens: int) -> Iterator[Sentence]:
    """Sentences of the lines, ``tokens`` tokens in total; very short and long ones are skipped."""
    for name, line in lines:
        for offsets in tokenizer.split(line):
            if MIN_TOKENS <= len(offsets) <= MAX_TOKENS and tokens > 0:
                words = [line[start:end] for start, end in offsets]
                tokens -= len(words)
                yield Sentence(words, doc=name)
        if tokens <= 0:
            return
