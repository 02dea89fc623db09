from hypothesis import given
from hypothesis import strategies as st

from innermost.training.batching import batches

lengths_lists = st.lists(st.integers(1, 60), min_size=1, max_size=80)


@given(lengths=lengths_lists, budget=st.integers(1, 200), seed=st.none() | st.integers(0, 5))
def test_every_sentence_is_in_exactly_one_batch_within_the_budget(lengths, budget, seed):
    plan = batches(lengths, budget, seed=seed)
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        sizes = [lengths[i] for i in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) == 1 or sizes[0] * len(batch) <= budget


@given(lengths=lengths_lists, seed=st.integers(0, 5), epoch=st.integers(0, 5))
def test_the_order_follows_from_seed_and_epoch(lengths, seed, epoch):
    first = batches(lengths, 100, seed=seed, epoch=epoch)
    assert first == batches(lengths, 100, seed=seed, epoch=epoch)


def test_epochs_differ():
    lengths = list(range(1, 60))
    assert batches(lengths, 100, seed=1, epoch=0) != batches(lengths, 100, seed=1, epoch=1)
