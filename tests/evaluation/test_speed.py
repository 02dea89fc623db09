"""Measuring a model, which must not change it."""

from __future__ import annotations

import pytest

from helpers.toy_corpus import toy_sentences
from innermost.corpus import Sentence
from innermost.errors import UsageError
from innermost.evaluation.speed import BATCH_SIZES, DEPTHS, benchmark
from innermost.runtime.model import Model

STAGES = {"tokenize", "features", "encoder", "decode", "scores", "output"}


def test_everything_is_measured_and_the_model_is_left_alone(toy: Model) -> None:
    pipeline = toy.pipeline
    result = benchmark(toy, [Sentence([]), *toy_sentences()], rounds=1)
    assert toy.pipeline is pipeline
    assert (result.sentences, result.entities) == (48, 96)
    assert list(result.batch_sizes) == [str(size) for size in BATCH_SIZES]
    assert len(result.depths) == len(DEPTHS)
    assert set(result.stages) == STAGES
    assert sum(result.stages.values()) == pytest.approx(1.0)
    assert result.to_dict()["raw_text"]["tokens_per_second"] > 0


def test_nothing_to_measure_with(toy: Model) -> None:
    with pytest.raises(UsageError, match="no sentences"):
        benchmark(toy, [Sentence([])])
