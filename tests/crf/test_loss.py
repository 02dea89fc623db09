import random

import pytest
import torch

from innermost import crf, nest
from innermost.nest import Span
from oracles import loop_loss


def random_target(rng, length, types, annotated=None):
    spans = []
    for label in types if annotated is None else annotated:
        for _ in range(rng.randint(0, 4)):
            start = rng.randrange(length)
            spans.append(Span(start, rng.randint(start + 1, length), label))
    return nest.target(spans, length, types, annotated)


def random_batch(seed, batch=4, longest=9, types=("A", "B", "C"), partial=False):
    rng = random.Random(seed)
    lengths = [rng.randint(1, longest) for _ in range(batch)]
    lengths[0] = longest
    some = [rng.sample(types, rng.randint(0, len(types))) if partial else None for _ in lengths]
    targets = [random_target(rng, n, types, a) for n, a in zip(lengths, some, strict=True)]
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


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("inner", [True, False])
def test_with_partial_annotation_it_is_the_loss_of_the_annotated_types_alone(seed, inner):
    from oracles import brute_force

    x, lengths, targets = random_batch(seed, batch=5, longest=5, partial=True)
    got = crf.nll(x, lengths, targets, inner=inner)
    assert got.item() == pytest.approx(loop_loss.nll(x, lengths, targets, inner=inner).item())
    # And again by enumerating all paths.
    expected = 0.0
    for rows, length, target in zip(x.numpy(), lengths.tolist(), targets, strict=True):
        for kind in set(range(3)) - target.unannotated:
            emissions, tags = rows[kind, :length], target.outer[kind]
            expected += brute_force.log_partition(emissions)
            expected -= sum(emissions[t, tag] for t, tag in enumerate(tags))
        for term in target.inner if inner else ():
            assert term.type not in target.unannotated
            emissions = rows[term.type, term.start : term.end]
            expected += brute_force.log_partition_without_best(emissions)
            expected -= sum(emissions[t, tag] for t, tag in enumerate(term.tags))
    assert got.item() == pytest.approx(expected / len(targets))


@pytest.mark.parametrize("seed", range(6))
def test_the_gradient_of_an_unannotated_type_is_exactly_zero(seed):
    x, lengths, targets = random_batch(seed, batch=5, partial=True)
    x.requires_grad_()
    (grad,) = torch.autograd.grad(crf.nll(x, lengths, targets), x)
    for sentence, target in enumerate(targets):
        for kind in range(3):
            if kind in target.unannotated:
                assert (grad[sentence, kind] == 0).all()
            else:
                outside = grad[sentence, kind, : lengths[sentence], 4]
                assert (outside != 0).all()


def test_a_batch_in_which_nothing_is_annotated_has_no_loss():
    x = torch.randn(2, 2, 3, 5, requires_grad=True)
    targets = [nest.target([], 3, ["A", "B"], [])] * 2
    loss = crf.nll(x, torch.tensor([3, 3]), targets)
    assert loss.item() == 0
    loss.backward()
    assert (x.grad == 0).all()


def test_a_span_of_a_type_that_is_not_annotated_is_refused():
    with pytest.raises(ValueError, match="not annotated here: \\['B'\\]"):
        nest.target([Span(0, 1, "B")], 3, ["A", "B"], ["A"])
