import math

import numpy as np
import pytest
from hypothesis import given, settings

from crf.strategies import batches, reals, ties, whole_numbers
from innermost import crf
from innermost.crf.uncertainty import entropy
from oracles import brute_force


def enumerated(emissions, *, without_whole=False):
    """The entropy over all legal paths, one by one."""
    n = len(emissions)
    paths = [
        path
        for path in brute_force.legal_paths(n)
        if not (without_whole and path == brute_force.whole(n))
    ]
    scores = [brute_force.score(path, emissions) for path in paths]
    total = brute_force.log_sum(scores)
    return -math.fsum(math.exp(s - total) * (s - total) for s in scores)


def uncertainty(emissions, lengths):
    entities = crf.find(emissions, lengths, None)
    return entropy(emissions, lengths, entities, crf.score(emissions, lengths, entities))


@settings(max_examples=60, deadline=None)
@given(batch=batches(max_length=5, elements=reals) | batches(5, ties) | batches(5, whole_numbers))
def test_it_is_the_enumerated_entropy_of_the_sentence_and_of_the_inside_of_entities(batch):
    emissions, lengths = batch
    got = uncertainty(emissions, lengths)
    decoded = crf.decode(emissions, lengths)
    scores = crf.score(emissions, lengths, decoded)
    for sentence, n in enumerate(lengths):
        expected = sum(enumerated(emissions[sentence, k, :n]) for k in range(emissions.shape[1]))
        for (start, end, kind, _), score in zip(decoded[sentence], scores[sentence], strict=True):
            if end - start > 1:
                inside = emissions[sentence, kind, start:end]
                expected += score * enumerated(inside, without_whole=True)
        assert got[sentence] == pytest.approx(expected, abs=1e-4)


def test_all_paths_alike_is_the_logarithm_of_their_number():
    # Without preferences there is no entity: 1, 2, 5, 13, 34 paths.
    for length, paths in zip(range(1, 5), (2, 5, 13, 34), strict=True):
        emissions = np.zeros((1, 1, length, 5))
        assert uncertainty(emissions, [length])[0] == pytest.approx(math.log(paths), abs=1e-6)


def test_a_certain_model_has_none():
    emissions = np.zeros((1, 2, 3, 5))
    emissions[..., 4] = 1_000.0
    assert uncertainty(emissions, [3])[0] == pytest.approx(0.0, abs=1e-6)
