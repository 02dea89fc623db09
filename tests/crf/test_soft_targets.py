"""Learning from the probabilities of another model, against the enumeration of all paths."""

import pytest
import torch

from crf.test_loss import random_batch
from innermost import crf
from innermost.crf.targets import flatten
from oracles import brute_force


def softened(targets, emissions, lengths, trust=1.0):
    return crf.soften([flatten(target) for target in targets], emissions, lengths, trust)


def cross_entropy(own, taught, tags, trust, without_whole):
    """Of the mixture of the teacher's paths and the annotated one, path by path."""
    partition = brute_force.log_partition
    if without_whole:
        partition = brute_force.log_partition_without_best
    paths = brute_force.distribution(taught, without_whole)
    expected = sum(probability * brute_force.score(path, own) for path, probability in paths)
    return partition(own) - trust * expected - (1 - trust) * brute_force.score(tags, own)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("trust", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("partial", [False, True])
def test_the_loss_is_the_cross_entropy_with_the_paths_of_the_teacher(seed, trust, partial):
    x, lengths, targets = random_batch(seed, batch=4, longest=5, partial=partial)
    taught = torch.randn_like(x) * 3
    got = crf.nll(x, lengths, softened(targets, taught, lengths, trust))
    expected = 0.0
    for own, other, length, target in zip(x, taught, lengths.tolist(), targets, strict=True):
        for kind in set(range(3)) - target.unannotated:
            rows = own[kind, :length].numpy(), other[kind, :length].numpy()
            expected += cross_entropy(*rows, target.outer[kind], trust, False)
        for term in target.inner:
            place = (term.type, slice(term.start, term.end))
            rows = own[place].numpy(), other[place].numpy()
            expected += cross_entropy(*rows, term.tags, trust, True)
    # Probabilities are stored as float16.
    assert got.item() == pytest.approx(float(expected) / len(targets), rel=1e-3)


@pytest.mark.parametrize("without_whole", [False, True])
def test_marginals_are_the_shares_of_the_paths_with_a_tag(without_whole):
    torch.manual_seed(1)
    x = torch.randn(3, 5, 5, dtype=torch.float64) * 2
    lengths = torch.tensor([5, 3, 2])
    partition = crf.log_partition_without_best if without_whole else crf.log_partition
    got = crf.marginals(x, lengths, partition)
    expected = torch.zeros_like(x)
    for row, length in enumerate(lengths.tolist()):
        paths = brute_force.distribution(x[row, :length].numpy(), without_whole)
        for path, probability in paths:
            for token, tag in enumerate(path):
                expected[row, token, tag] += probability
    torch.testing.assert_close(got, expected)


def test_marginals_can_be_computed_where_gradients_are_off():
    with torch.no_grad():
        total = crf.marginals(torch.randn(2, 4, 5), torch.tensor([4, 2])).sum(-1)
    torch.testing.assert_close(total, torch.tensor([[1.0] * 4, [1.0, 1.0, 0.0, 0.0]]))


def test_a_student_that_agrees_with_its_teacher_has_no_gradient():
    x, lengths, targets = random_batch(3)
    x.requires_grad_()
    loss = crf.nll(x, lengths, softened(targets, x.detach(), lengths))
    (gradient,) = torch.autograd.grad(loss, x)
    assert gradient.abs().max() < 1e-3  # float16
    (of_the_annotation,) = torch.autograd.grad(crf.nll(x, lengths, targets), x)
    assert of_the_annotation.abs().max() > 0.1


def test_soft_and_certain_targets_fit_in_one_batch():
    x, lengths, targets = random_batch(4)
    soft = softened(targets, torch.randn_like(x), lengths)
    parts = [crf.nll(x[:1], lengths[:1], soft[:1])]
    for n in range(1, len(targets)):
        end = int(lengths[n])
        parts.append(crf.nll(x[n : n + 1, :, :end], lengths[n : n + 1], targets[n : n + 1]))
    mixed = crf.nll(x, lengths, [soft[0], *map(flatten, targets[1:])])
    assert mixed.item() == pytest.approx(sum(parts).item() / len(parts))


def test_without_second_best_learning_only_the_sentence_is_taught():
    x, lengths, targets = random_batch(6)
    soft = softened(targets, torch.randn_like(x), lengths)
    outer_only = [flatten(type(t)(t.outer, [])) for t in targets]
    alone = softened_like(outer_only, soft)
    got = crf.nll(x, lengths, soft, inner=False)
    assert got.item() == pytest.approx(crf.nll(x, lengths, alone).item())


def softened_like(targets, soft):
    """The outer probabilities of ``soft`` for targets without inner terms."""
    from dataclasses import replace

    from innermost.crf.targets import SoftTags

    return [
        replace(target, soft=SoftTags(other.soft.outer, other.soft.tags[:0]))
        for target, other in zip(targets, soft, strict=True)
    ]
