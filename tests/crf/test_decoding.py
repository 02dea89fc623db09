import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crf.strategies import batches, large, reals, ties, whole_numbers
from innermost import crf
from innermost.crf import decoding
from oracles import brute_force


@settings(max_examples=150, deadline=None)
@given(
    batch=st.one_of(batches(elements=e) for e in (ties, whole_numbers, large)),
    depth=st.sampled_from([None, 1, 2]),
)
def test_decoding_equals_the_recursion_over_all_paths_ties_included(batch, depth):
    emissions, lengths = batch
    for dtype in (np.float64, np.float32):
        got = crf.decode(emissions.astype(dtype), lengths, max_depth=depth)
        for sentence, n in enumerate(lengths):
            expected = [
                (start, end, kind, level)
                for kind in range(emissions.shape[1])
                for start, end, level in brute_force.decode(emissions[sentence, kind, :n], depth)
            ]
            assert sorted(got[sentence]) == sorted(expected)


@settings(max_examples=80, deadline=None)
@given(batch=batches(max_length=5, elements=reals))
def test_decoded_paths_of_real_scores_are_best(batch):
    emissions, lengths = batch
    got = crf.decode(emissions, lengths, max_depth=1)
    for sentence, n in enumerate(lengths):
        for kind in range(emissions.shape[1]):
            x = emissions[sentence, kind, :n]
            spans = [(s, e) for s, e, k, _ in got[sentence] if k == kind]
            path = [brute_force.O] * n
            for s, e in spans:
                path[s:e] = brute_force.whole(e - s) if e - s > 1 else (brute_force.S,)
            best = brute_force.score(brute_force.best_path(x), x)
            assert brute_force.score(path, x) == pytest.approx(best)


@settings(max_examples=60, deadline=None)
@given(batch=batches(max_length=5))
def test_scores_equal_enumerated_marginals(batch):
    emissions, lengths = batch
    decoded = crf.decode(emissions, lengths)
    for dtype, tolerance in ((np.float64, 1e-9), (np.float32, 1e-4)):
        got = crf.score(emissions.astype(dtype), lengths, decoded)
        for sentence, n in enumerate(lengths):
            for (start, end, kind, _), value in zip(decoded[sentence], got[sentence], strict=True):
                around = [
                    (s, e)
                    for s, e, k, _ in sorted(decoded[sentence], key=lambda x: x[0] - x[1])
                    if k == kind and s <= start and end <= e and (s, e) != (start, end)
                ]
                expected = brute_force.entity_score(
                    emissions[sentence, kind, :n], around, (start, end)
                )
                assert value == pytest.approx(expected, rel=tolerance, abs=tolerance)


def test_many_sentences_together_are_decoded_as_each_alone():
    random = np.random.default_rng(3)
    lengths = random.integers(1, 12, size=40)
    emissions = random.normal(size=(40, 3, 11, 5)) + [1.0, 1.0, 1.0, 0.0, 0.5]
    alone = [crf.decode(x[None, :, :n], [n])[0] for x, n in zip(emissions, lengths, strict=True)]
    assert crf.decode(emissions, lengths) == alone
    assert max(level for sentence in alone for *_, level in sentence) > 2


def test_order_of_the_result():
    emissions = np.full((1, 2, 4, 5), -9.0)
    emissions[..., 4] = 0
    emissions[0, :, 0, 0] = emissions[0, :, 1, 1] = emissions[0, :, 2, 2] = 5
    emissions[0, 0, 1, 3] = 3
    assert crf.decode(emissions, [4]) == [[(0, 3, 0, 1), (0, 3, 1, 1), (1, 2, 0, 2)]]


def test_a_long_sentence_with_a_long_entity_neither_overflows_nor_recurses():
    n = 100_000
    emissions = np.full((1, 1, n, 5), -1e4, dtype=np.float32)
    emissions[0, 0, :, 4] = 1
    emissions[0, 0, 500, 0] = emissions[0, 0, 2499, 2] = 1e4
    emissions[0, 0, 501:2499, 1] = 0.5
    emissions[0, 0, n - 1, 3] = 50
    spans = crf.decode(emissions, [n])
    assert spans == [[(500, 2500, 0, 1), (n - 1, n, 0, 1)]]
    assert np.isfinite(crf.score(emissions, [n], spans)[0]).all()


def test_every_nesting_of_a_deep_chain_is_found():
    """Each level drops one token: 300 levels, no recursion limit."""
    n = 300
    emissions = np.full((1, 1, n, 5), -1e3)
    emissions[0, 0, :, 4] = 0
    emissions[0, 0, :, 0] = np.arange(n) * -0.001  # any start, the earlier the better
    emissions[0, 0, :, 1] = 1.0
    emissions[0, 0, n - 1, 2] = 1.0
    spans = crf.decode(emissions, [n])[0]
    assert spans == [(k, n, 0, k + 1) for k in range(n - 1)]


def test_empty_batches():
    assert crf.decode(np.zeros((0, 3, 4, 5)), []) == []
    assert crf.decode(np.zeros((1, 3, 2, 5)), [2]) == [[]]
    assert crf.score(np.zeros((1, 3, 2, 5)), [2], [[]]) == [[]]


def test_bad_shapes_and_spans_are_named():
    with pytest.raises(ValueError, match="emissions must be"):
        crf.decode(np.zeros((3, 4, 5)), [4])
    with pytest.raises(ValueError, match="lengths"):
        crf.decode(np.zeros((1, 1, 4, 5)), [5])
    with pytest.raises(ValueError, match="cross"):
        crf.score(np.zeros((1, 1, 4, 5)), [4], [[(0, 2, 0, 1), (1, 3, 0, 1)]])


@pytest.mark.parametrize("small", [0, 1 << 40])
def test_groups_of_similar_lengths_change_nothing(monkeypatch, small):
    """Spans of very different lengths at one level, in one padded group or in several."""
    random = np.random.default_rng(5)
    emissions = random.normal(size=(3, 2, 40, 5)) + [1.0, 1.5, 1.0, 0.0, 0.0]
    expected = crf.decode(emissions, [40, 33, 7])
    probabilities = crf.score(emissions, [40, 33, 7], expected)
    assert max(end - start for s in expected for start, end, _, _ in s) > 8
    monkeypatch.setattr(decoding, "_ONE_GROUP", small)
    assert crf.decode(emissions, [40, 33, 7]) == expected
    for got, wanted in zip(crf.score(emissions, [40, 33, 7], expected), probabilities, strict=True):
        assert got == pytest.approx(wanted)


@settings(max_examples=60, deadline=None)
@given(batch=batches())
def test_arrays_and_lists_are_the_same_entities(batch):
    emissions, lengths = batch
    arrays, lists = crf.find(emissions, lengths), crf.decode(emissions, lengths)
    scored = arrays.tolists(crf.score(emissions, lengths, arrays))
    assert [[entity[:4] for entity in sentence] for sentence in scored] == lists
    assert all(sentence == sorted(sentence, key=_place) for sentence in lists)
    expected = crf.score(emissions, lengths, lists)
    for sentence, own in zip(scored, expected, strict=True):
        assert [entity[4] for entity in sentence] == pytest.approx(own, rel=1e-9)
    inner = arrays.parent >= 0
    parent = arrays.parent[inner]
    assert (arrays.row[parent] == arrays.row[inner]).all()
    assert (arrays.level[parent] == arrays.level[inner] - 1).all()
    assert crf.scores is crf.score


@settings(max_examples=60, deadline=None)
@given(batch=batches(), data=st.data())
def test_the_entities_of_some_rows(batch, data):
    emissions, lengths = batch
    count, types = emissions.shape[:2]
    rows = data.draw(st.lists(st.booleans(), min_size=count * types, max_size=count * types))
    some = crf.find(emissions, lengths).of_rows(np.array(rows))
    scored = some.tolists(crf.score(emissions, lengths, some))
    lists = crf.decode(emissions, lengths)
    expected = crf.score(emissions, lengths, lists)
    for number, sentence in enumerate(scored):
        pairs = zip(lists[number], expected[number], strict=True)
        kept = [(e, p) for e, p in pairs if rows[number * types + e[2]]]
        assert [entity[:4] for entity in sentence] == [e for e, _ in kept]
        assert [entity[4] for entity in sentence] == pytest.approx([p for _, p in kept], rel=1e-9)


def _place(entity):
    start, end, kind, _ = entity
    return start, -end, kind
