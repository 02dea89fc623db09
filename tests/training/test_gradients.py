"""Batches that do not fit in memory: the same gradients, in parts."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="training needs torch")

import torch

from innermost.errors import InnermostWarning, ResourceError
from innermost.training.gradients import add_gradients

SENTENCES = [float(n) for n in (7, 5, 5, 3, 2, 1, 1)]


def _computed(limit, error, *, late=False, total=7):
    """The loss and the gradient where ``limit`` sentences fit into memory."""
    weight = torch.tensor(3.0, requires_grad=True)
    sizes = []

    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value, size):
            ctx.size = size
            return value.clone()

        @staticmethod
        def backward(ctx, gradient):
            if late and ctx.size > limit:
                raise error
            return gradient, None

    def loss_of(part):
        sizes.append(len(part))
        if not late and len(part) > limit:
            raise error
        values = torch.tensor([SENTENCES[i] for i in part])
        # The gradient of the first summand is there before the second one fails.
        first = (weight**2 * values).mean() / 2
        return first + Failing.apply((weight**2 * values).mean() / 2, len(part))

    def clear():
        weight.grad = None

    loss = add_gradients(loss_of, list(range(len(SENTENCES))), total, clear)
    return float(loss), float(weight.grad), sizes


ERRORS = [
    torch.cuda.OutOfMemoryError("CUDA out of memory"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
    MemoryError(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("limit", [1, 2, 3, 6])
@pytest.mark.parametrize("total", [7, 20])
def test_parts_add_up_to_the_whole(error, limit, total):
    whole = _computed(99, error, total=total)
    with pytest.warns(InnermostWarning, match="7 sentences: splitting it"):
        loss, gradient, sizes = _computed(limit, error, total=total)
    assert loss == pytest.approx(whole[0])
    assert gradient == pytest.approx(whole[1])
    assert whole[2] == [7]
    assert max(sizes[-(7 // limit) :]) <= limit


def test_gradients_of_a_failed_attempt_are_discarded():
    whole = _computed(99, ERRORS[0])
    with pytest.warns(InnermostWarning):
        loss, gradient, _ = _computed(2, ERRORS[0], late=True)
    assert (loss, gradient) == pytest.approx(whole[:2])


def test_a_sentence_that_does_not_fit_is_an_error():
    with (
        pytest.warns(InnermostWarning),
        pytest.raises(ResourceError, match="one sentence: CUDA out of memory"),
    ):
        _computed(0, ERRORS[0])


def test_other_errors_are_not_hidden():
    with pytest.raises(RuntimeError, match="shapes"):
        _computed(3, RuntimeError("shapes differ"))
