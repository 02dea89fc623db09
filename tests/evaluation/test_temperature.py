"""The temperature calibrates scores and changes no entity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helpers.toy_corpus import toy_sentences
from innermost import crf
from innermost.evaluation.temperature import (
    Decoded,
    _least,
    correct,
    fit_temperature,
    model_temperature,
)
from innermost.nest import Span
from innermost.runtime.model import Model


@pytest.mark.parametrize("true", [0.5, 1.0, 2.0, 3.0])
def test_the_temperature_that_made_the_data_is_found(true: float) -> None:
    random = np.random.default_rng(3)
    margin = random.uniform(0.1, 6.0, size=2_000)
    emissions = np.zeros((2_000, 1, 1, 5))
    emissions[:, 0, 0, 3] = margin
    right = random.random(2_000) < 1 / (1 + np.exp(-margin / true))
    entities = [[Span(0, 1, "A")] if r else [] for r in right]
    lengths = np.ones(2_000, dtype=np.int64)
    found = crf.find(emissions, lengths)
    decoded = Decoded(emissions, lengths, found, correct(entities, found, ["A"]))
    assert fit_temperature([decoded]) == pytest.approx(true, rel=0.15)


def test_it_changes_scores_but_no_entity(toy: Model) -> None:
    sentences = toy_sentences()
    before = list(toy.predict_sentences(sentences))
    hot = replace(toy.pipeline, temperature=np.float32(5.0))
    after = list(hot.sentences(sentences))
    assert [[s[:4] for s in spans] for spans in before] == [
        [s[:4] for s in spans] for spans in after
    ]
    scores = [(a.score, b.score) for x, y in zip(before, after, strict=True) for a, b in zip(x, y)]  # noqa: B905
    assert sum(b < a for a, b in scores) > 0.9 * len(scores)


def test_nothing_found_means_no_change(toy: Model) -> None:
    assert model_temperature(toy, []) == 1.0


def test_golden_section() -> None:
    assert _least(lambda x: (x - 0.7) ** 2, -3, 5) == pytest.approx(0.7, abs=1e-4)
