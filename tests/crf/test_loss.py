import random

import pytest
import torch

from innermost import crf, nest
from innermost.nest import Span
from oracles import loop_loss


def random_target(rng, length, types):
    spans = []
    for label in types:
        for _ in range(rng.randint(0, 4)):
            start = rng.randrange(length)
            spans.append(Span(start, rng.randint(start + 1, length), label))
    return nest.target(spans, length, types)


def random_batch(seed, batch=4, longest=9, types=("A", "B", "C")):
    rng = random.Random(seed)
    lengths = [rng.randint(1, longest) for _ in range(batch)]
    lengths[0] = longest
    targets = [random_target(rng, n, types) for n in lengths]
    torch.manual_seed(seed)
    return (
        torch.randn(batch, len(types), longest, 5, dtype=torch.float64) * 3,
        torch.tensor(lengths),
        targets,
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("inner", [True, False])
def test_batched_loss_equals_the_loop_over_spans(seed, inner):
    x, lengths, targets = random_batch(seed)
    got = crf.nll(x, lengths, targets, inner=inner)
    assert got.item() == pytest.approx(loop_loss.nll(x, lengths, targets, inner=inner).item())


def test_gradients_agree_with_finite_differences_and_with_the_loop():
    x, lengths, targets = random_batch(1, batch=3, longest=5, types=("A", "B"))
    x.requires_grad_()
    packed = crf.pack(targets)
    assert torch.autograd.gradcheck(lambda e: crf.nll(e, lengths, packed), (x,))
    (fast,) = torch.autograd.grad(crf.nll(x, lengths, packed), x)
    (slow,) = torch.autograd.grad(loop_loss.nll(x, lengths, targets), x)
    torch.testing.assert_close(fast, slow)


def test_the_loop_oracle_itself_equals_enumeration():
    from oracles import brute_force

    torch.manual_seed(3)
    for n in range(1, 6):
        x = torch.randn(n, 5, dtype=torch.float64)
        assert loop_loss.log_partition(x).item() == pytest.approx(
            brute_force.log_partition(x.numpy())
        )
        if n > 1:
            expected = brute_force.log_partition_without_best(x.numpy())
            assert loop_loss.log_partition_without_best(x).item() == pytest.approx(expected)


def test_bfloat16_emissions_are_computed_in_float32():
    x, lengths, targets = random_batch(5)
    half = x.bfloat16()
    got = crf.nll(half, lengths, targets)
    assert got.dtype == torch.float32
    assert got.item() == pytest.approx(crf.nll(half.double(), lengths, targets).item(), rel=1e-5)


def test_a_sentence_without_entities_has_no_inner_term():
    target = nest.target([], 3, ["A"])
    x = torch.randn(1, 1, 3, 5)
    assert len(crf.pack([target]).length) == 0
    expected = crf.log_partition(x[0], torch.tensor([3])) - x[0, 0, :, 4].sum()
    assert crf.nll(x, torch.tensor([3]), [target]).item() == pytest.approx(
        expected.item(), rel=1e-5
    )


def test_mismatched_shapes_are_named():
    x, lengths, targets = random_batch(2)
    with pytest.raises(ValueError, match="targets are for"):
        crf.nll(x[:, :2], lengths, targets)
    with pytest.raises(ValueError, match="batch, type, token, 5"):
        crf.nll(x[0], lengths, targets)
