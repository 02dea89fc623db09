"""The CRF as an automaton: one small step matrix per token.

Every legal transition scores 0, so the five tags collapse into two states: after ``O``, ``E`` or
``S`` we are *out*, after ``B`` or ``I`` we are *in*.

              to out     to in
    from out  O (+) S    B
    from in   E          I

All paths except ``B I .. I E`` over a whole span need a third state, *in0*: inside an entity that
began at the span's first token. It may end anywhere except at the span's last token.
"""

from __future__ import annotations

import torch
from torch import Tensor

from innermost.crf.semiring import ZERO, Semiring


def sentence_steps(emissions: Tensor, lengths: Tensor, semiring: Semiring) -> Tensor:
    """``[n, t, 5], [n] -> [n, t, 2, 2]`` over the states *out, in*; identity beyond the length."""
    b, i, e, s, o = emissions.unbind(-1)
    steps = torch.stack((semiring.plus(o, s), b, e, i), -1)
    return _identity_beyond(steps.reshape(*b.shape, 2, 2), lengths)


def span_steps(emissions: Tensor, lengths: Tensor, semiring: Semiring) -> Tensor:
    """``[n, t, 5], [n] -> [n, t, 3, 3]`` over the states *out, in, in0*."""
    b, i, e, s, o = emissions.unbind(-1)
    time = torch.arange(emissions.shape[1], device=emissions.device)
    first = (time == 0).expand_as(b)
    last = time == lengths.unsqueeze(-1) - 1
    never = torch.full_like(b, ZERO)
    steps = torch.stack(
        (
            *(semiring.plus(o, s), b.masked_fill(first, ZERO), b.masked_fill(~first, ZERO)),
            *(e, i, never),
            *(e.masked_fill(last, ZERO), never, i),
        ),
        -1,
    )
    return _identity_beyond(steps.reshape(*b.shape, 3, 3), lengths)


def _identity_beyond(steps: Tensor, lengths: Tensor) -> Tensor:
    _, t, size, _ = steps.shape
    eye = torch.eye(size, dtype=torch.bool, device=steps.device)
    identity = steps.new_zeros(size, size).masked_fill(~eye, ZERO)
    beyond = torch.arange(t, device=steps.device) >= lengths.unsqueeze(-1)
    return torch.where(beyond[:, :, None, None], identity, steps)
