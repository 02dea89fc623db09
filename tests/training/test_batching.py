from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from innermost.runtime.batches import batches
from innermost.training.data.batching import shuffled_batches
from innermost.training.memory import largest_batch

lengths_lists = st.lists(st.integers(1, 60), min_size=1, max_size=80)
RECORDED = [[8, 2], [5], [7, 4], [3], [0, 9, 6, 1]]


@given(lengths=lengths_lists, budget=st.integers(1, 200), seed=st.integers(0, 5))
def test_every_sentence_is_in_exactly_one_batch_within_the_budget(lengths, budget, seed):
    plan = shuffled_batches(lengths, budget, seed=seed, epoch=0)
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        sizes = [lengths[i] for i in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) == 1 or sizes[0] * len(batch) <= budget


@given(lengths=lengths_lists, budget=st.integers(1, 400), seed=st.integers(0, 5), data=st.data())
def test_groups_are_never_split(lengths, budget, seed, data):
    cuts = data.draw(st.lists(st.integers(0, len(lengths)), unique=True))
    edges = sorted({0, *cuts, len(lengths)})
    groups = [list(range(a, b)) for a, b in pairwise(edges)]
    plan = shuffled_batches(lengths, budget, groups, seed=seed, epoch=0)
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        inside = [group for group in groups if group[0] in batch]
        assert sorted(batch) == [i for group in inside for i in group]
        sizes = [lengths[i] for i in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(inside) == 1 or sizes[0] * len(batch) <= budget
    largest = largest_batch(lengths, budget, groups)
    if len(groups) < len(lengths):
        assert largest in list(batches(lengths, budget, groups))
    else:
        assert len(set(largest)) == 1
        assert lengths[largest[0]] == max(lengths)


@given(lengths=lengths_lists, budget=st.integers(1, 200), seed=st.integers(0, 5))
def test_groups_of_one_change_nothing(lengths, budget, seed):
    groups = [[i] for i in range(len(lengths))]
    plan = shuffled_batches(lengths, budget, groups, seed=seed, epoch=1)
    assert plan == shuffled_batches(lengths, budget, seed=seed, epoch=1)


def test_the_order_is_as_recorded():
    """Recipes must give the same batches as earlier versions."""
    plan = shuffled_batches([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], 12, seed=3, epoch=2)
    assert plan == RECORDED


@given(lengths=lengths_lists, seed=st.integers(0, 5), epoch=st.integers(0, 5))
def test_the_order_follows_from_seed_and_epoch(lengths, seed, epoch):
    first = shuffled_batches(lengths, 100, seed=seed, epoch=epoch)
    assert first == shuffled_batches(lengths, 100, seed=seed, epoch=epoch)


def test_epochs_differ():
    lengths = list(range(1, 60))
    first, second = (shuffled_batches(lengths, 100, seed=1, epoch=epoch) for epoch in (0, 1))
    assert first != second
