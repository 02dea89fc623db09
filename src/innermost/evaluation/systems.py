"""Whatever can be measured: a model, or a file of predictions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import tee
from pathlib import Path
from typing import cast

from innermost.corpus import Sentence
from innermost.evaluation.predictions import SpanScores, align
from innermost.nest import Span

_FILE_SUFFIXES = {".jsonl", ".json", ".gz", ".xz", ".zst"}


def is_prediction_file(system: str | Path) -> bool:
    """Whether it is a file, or by its name was meant as one."""
    return Path(system).is_file() or Path(system).suffix in _FILE_SUFFIXES


def tokenizers(systems: Iterable[str | Path]) -> dict[str, str]:
    """The names of the tokenizers of those systems that are models."""
    from innermost.model_folder.info import read_info
    from innermost.model_folder.installed import locate

    models = (system for system in systems if not is_prediction_file(system))
    return {str(model): read_info(locate(model)).tokenizer for model in models}


def predict(system: str | Path, sentences: Iterable[Sentence]) -> Iterator[SpanScores]:
    """What ``system`` says about each sentence.

    A file is read as predictions; anything else is the folder or the name of a model.
    """
    if is_prediction_file(system):
        yield from align(system, sentences)
        return
    # Prediction files need no runtime, and loading it takes time.
    from innermost.runtime import load

    for entities in load(system).predict_sentences(sentences):
        yield {Span(start, end, label): score for start, end, label, _, score in entities}


def side_by_side(
    systems: Sequence[str | Path], sentences: Iterable[Sentence]
) -> Iterator[tuple[Sentence, list[SpanScores]]]:
    """Each sentence with what each of ``systems`` says about it, as a stream."""
    gold, *copies = tee(sentences, len(systems) + 1)
    streams = [predict(*pair) for pair in zip(systems, copies, strict=True)]
    for first, *rest in zip(gold, *streams, strict=True):
        yield cast(Sentence, first), cast("list[SpanScores]", rest)
