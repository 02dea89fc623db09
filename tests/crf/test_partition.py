import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from crf.strategies import emissions
from innermost import crf
from innermost.crf.automaton import sentence_steps, span_steps
from oracles import brute_force
from oracles.max_semiring import MaxSemiring

DTYPES = [(torch.float64, 1e-9), (torch.float32, 1e-5)]


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
@given(x=emissions())
def test_log_partition_equals_enumeration(dtype, tolerance, x):
    got = crf.log_partition(torch.tensor(x[None], dtype=dtype), torch.tensor([len(x)]))
    assert got.item() == pytest.approx(
        brute_force.log_partition(x), rel=tolerance, abs=tolerance * 10
    )


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES)
@given(x=emissions(min_length=2))
def test_log_partition_without_best_equals_enumeration(dtype, tolerance, x):
    got = crf.log_partition_without_best(torch.tensor(x[None], dtype=dtype), torch.tensor([len(x)]))
    expected = brute_force.log_partition_without_best(x)
    assert got.item() == pytest.approx(expected, rel=tolerance, abs=tolerance * 10)


@given(x=emissions(min_length=2))
def test_the_same_automata_give_the_best_paths(x):
    best = MaxSemiring()
    e, n = torch.tensor(x[None]), torch.tensor([len(x)])
    first = best.product(sentence_steps(e, n, best))[0, 0, 0].item()
    second = best.product(span_steps(e, n, best))[0, 0, 0].item()
    assert first == pytest.approx(brute_force.score(brute_force.best_path(x), x))
    assert second == pytest.approx(brute_force.score(brute_force.best_path(x, True), x))


@pytest.mark.parametrize(("n", "paths"), [(1, 2), (2, 5), (3, 13), (4, 34), (5, 89), (6, 233)])
def test_number_of_legal_paths(n, paths):
    assert math.exp(
        crf.log_partition(torch.zeros(1, n, 5), torch.tensor([n])).item()
    ) == pytest.approx(paths)
    if n > 1:
        without = crf.log_partition_without_best(torch.zeros(1, n, 5), torch.tensor([n]))
        assert math.exp(without.item()) == pytest.approx(paths - 1)


@settings(deadline=None)
@given(x=emissions(min_length=2, max_length=5))
def test_padding_changes_nothing(x):
    padded = np.concatenate([x, np.full((3, 5), 7.0)])
    n = torch.tensor([len(x)])
    for function in (crf.log_partition, crf.log_partition_without_best):
        assert function(torch.tensor(padded[None]), n).item() == pytest.approx(
            function(torch.tensor(x[None]), n).item()
        )


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_gradients_agree_with_finite_differences(n):
    torch.manual_seed(n)
    lengths = torch.tensor([n, max(n - 1, 1)])
    x = torch.randn(2, n, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda e: crf.log_partition(e, lengths), (x,))
    if n > 2:
        assert torch.autograd.gradcheck(lambda e: crf.log_partition_without_best(e, lengths), (x,))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_long_sequences_neither_overflow_nor_recurse(dtype):
    torch.manual_seed(0)
    x = (torch.randn(1, 100_000, 5, dtype=dtype) * 100).requires_grad_()
    total = crf.log_partition(x, torch.tensor([100_000])) + crf.log_partition_without_best(
        x[:, :2_000], torch.tensor([2_000])
    )
    total.backward()
    assert torch.isfinite(total).all()
    assert torch.isfinite(x.grad).all()


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="emissions"):
        crf.log_partition(torch.zeros(3, 5), torch.tensor([3]))
    with pytest.raises(ValueError, match="at least 2"):
        crf.log_partition_without_best(torch.zeros(1, 1, 5), torch.tensor([1]))
