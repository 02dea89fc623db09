from hypothesis import given
from hypothesis import strategies as st

from innermost.training.data.batching import shuffled_batches

lengths_lists = st.lists(st.integers(1, 60), min_size=1, max_size=80)


@given(lengths=lengths_lists, budget=st.integers(1, 200), seed=st.integers(0, 5))
def test_every_sentence_is_in_exactly_one_batch_within_the_budget(lengths, budget, seed):
    plan = shuffled_batches(lengths, budget, seed=seed, epoch=0)
    assert sorted(i for batch in plan for i in batch) == list(range(len(lengths)))
    for batch in plan:
        sizes = [lengths[i] for i in batch]
        assert sizes == sorted(sizes, reverse=True)
        assert len(batch) == 1 or sizes[0] * len(batch) <= budget


@given(lengths=lengths_lists, seed=st.integers(0, 5), epoch=st.integers(0, 5))
def test_the_order_follows_from_seed_and_epoch(lengths, seed, epoch):
    first = shuffled_batches(lengths, 100, seed=seed, epoch=epoch)
    assert first == shuffled_batches(lengths, 100, seed=seed, epoch=epoch)


def test_epochs_differ():
    lengths = list(range(1, 60))
    first, second = (shuffled_batches(lengths, 100, seed=1, epoch=epoch) for epoch in (0, 1))
    assert first != second
