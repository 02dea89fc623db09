"""Entities as arrays and as lists, and the shapes that decoding refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost import crf
from innermost.crf import decoding
from innermost.crf.decoding import by_length
from innermost.crf.entities import from_lists
from innermost.crf.lattice import lattice_of, scan, scan_without_best
from oracles import brute_force


@st.composite
def nests(draw, types=2, length=6):
    """Sentences with entities that nest within their type, in any order; levels are wrong."""
    sentences = []
    for _ in range(draw(st.integers(0, 3))):
        kept = []
        for _ in range(draw(st.integers(0, 6))):
            start = draw(st.integers(0, length - 1))
            end = draw(st.integers(start + 1, length))
            kind = draw(st.integers(0, types - 1))
            fits = all(
                kind != k or end <= s or e <= start
                or (s <= start and end <= e and (s, e) != (start, end))
                or (start <= s and e <= end and (s, e) != (start, end))
                for s, e, k, _ in kept
            )  # fmt: skip
            if fits:
                kept.append((start, end, kind, 0))
        sentences.append(kept)
    return sentences


@given(nests())
def test_levels_and_parents_follow_from_offsets(sentences):
    arrays = from_lists(sentences, 2)
    flat = [(n, entity) for n, entities in enumerate(sentences) for entity in entities]
    assert len(arrays) == len(flat)
    assert (arrays.sentences, arrays.types) == (len(sentences), 2)
    for index, (sentence, (start, end, kind, _)) in enumerate(flat):
        around = [
            (e - s, other)
            for other, (n, (s, e, k, _)) in enumerate(flat)
            if (n, k) == (sentence, kind) and s <= start and end <= e and (s, e) != (start, end)
        ]
        expected = (sentence * 2 + kind, start, end, len(around) + 1)
        got = arrays.row[index], arrays.start[index], arrays.end[index], arrays.level[index]
        assert got == expected
        assert arrays.parent[index] == (min(around)[1] if around else -1)
    lists = arrays.tolists(np.arange(len(arrays)))
    assert len(lists) == len(sentences)
    for number, entities in enumerate(lists):
        assert [e[:3] for e in entities] == sorted(
            (e[:3] for e in sentences[number]), key=lambda e: (e[0], -e[1], e[2])
        )
        assert all(flat[e[4]][1][:3] == e[:3] and flat[e[4]][0] == number for e in entities)


@given(nests(types=3), st.data())
def test_some_rows_keep_their_parents(sentences, data):
    arrays = from_lists(sentences, 3)
    rows = 3 * len(sentences)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), bool)
    some = arrays.of_rows(chosen)
    kept = [[e for e in s if chosen[n * 3 + e[2]]] for n, s in enumerate(sentences)]
    expected = from_lists(kept, 3)
    for name in ("row", "start", "end", "level", "parent"):
        assert getattr(some, name).tolist() == getattr(expected, name).tolist(), name
    assert (some.sentences, some.types) == (len(sentences), 3)


@pytest.mark.parametrize("others", [[(1, 3, 0, 1)], [(0, 2, 0, 1)]])
def test_entities_that_cross_or_coincide_are_named(others):
    with pytest.raises(ValueError, match=r"spans \(0, 2\) and .* of type 0 in sentence 1"):
        from_lists([[], [(0, 2, 0, 1), *others]], 2)
    assert len(from_lists([[(0, 2, 0, 1)], [(1, 3, 0, 1), (0, 2, 1, 1), (3, 4, 0, 1)]], 2)) == 4


def test_groups_have_every_span_once_and_similar_lengths(monkeypatch):
    lengths = np.array([2, 3, 4, 7, 8, 100, 2])
    assert [group.tolist() for group in by_length(lengths)] == [[True] * 7]
    assert [group.tolist() for group in by_length(np.array([], int))] == [[]]
    monkeypatch.setattr(decoding, "_ONE_GROUP", 699)
    groups = by_length(lengths)
    assert np.sum(groups, axis=0).tolist() == [1] * 7
    assert [lengths[group].tolist() for group in groups] == [[2, 3, 2], [4, 7], [8], [100]]
    monkeypatch.setattr(decoding, "_ONE_GROUP", 700)
    assert len(by_length(lengths)) == 1


@pytest.mark.parametrize(
    ("shape", "lengths", "message"),
    [
        ((1, 2, 3, 4), [3], "emissions must be"),
        ((2, 3, 5), [3], "emissions must be"),
        ((2, 1, 3, 5), [3], "lengths"),
        ((1, 1, 3, 5), [[3]], "lengths"),
        ((2, 1, 3, 5), [3, 4], r"lengths \[3, 4\] do not match"),
    ],
)
def test_wrong_shapes_are_refused(shape, lengths, message):
    with pytest.raises(ValueError, match=message):
        lattice_of(np.zeros(shape), lengths, np.maximum)


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_both_automata_sum_over_the_paths_before_every_token(length, seed):
    """The gains of *out* add up to the sum over all paths that are out after each token."""
    x = np.random.default_rng(seed).normal(size=(length, 5))
    lattice = lattice_of(x[None, None], [length], np.logaddexp)
    _, gain = scan(lattice, lattice.enter())
    sums = gain[:, 0].cumsum()
    for n in range(1, length + 1):
        assert sums[n - 1] == pytest.approx(brute_force.log_partition(x[:n]))
    _, gain, _ = scan_without_best(lattice, lattice.enter())
    expected = brute_force.log_partition_without_best(x)
    assert gain[:, 0].sum() == pytest.approx(expected)


def test_a_depth_ends_decoding_between_levels():
    emissions = np.full((1, 1, 4, 5), -9.0)
    emissions[0, 0, :, 4] = 0.0
    emissions[0, 0, 0, 0] = emissions[0, 0, 3, 2] = 5.0
    emissions[0, 0, 1:3, 1] = 5.0
    emissions[0, 0, 1, 0] = emissions[0, 0, 2, 2] = 3.0
    emissions[0, 0, 2, 3] = 1.0
    spans = [(0, 4, 0, 1), (1, 3, 0, 2), (2, 3, 0, 3)]
    every = crf.decode(emissions, [4])[0]
    assert every[0] == spans[0]
    for depth in range(1, 5):
        assert crf.decode(emissions, [4], max_depth=depth)[0] == [e for e in every if e[3] <= depth]


def test_the_half_that_needs_torch_is_imported_on_use():
    pytest.importorskip("torch")
    from innermost.crf import loss, targets

    assert (crf.nll, crf.pack) == (loss.nll, targets.pack)
    assert (crf.log_partition, crf.log_partition_without_best) == (
        loss.log_partition,
        loss.log_partition_without_best,
    )


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        crf.nothing  # noqa: B018
