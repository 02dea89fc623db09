"""The training objective (Eqs. 2-6 of the paper), for whole batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from innermost.crf.automaton import sentence_steps, span_steps
from innermost.crf.semiring import LogSemiring
from innermost.crf.targets import FlatTarget, Targets, pack
from innermost.nest import Target

LOG = LogSemiring()
OUT = 0
Partition = Callable[[Tensor, Tensor], Tensor]


def log_partition(emissions: Tensor, lengths: Tensor) -> Tensor:
    """The log of the sum over all legal paths: ``[n, t, 5], [n] -> [n]``."""
    _check(emissions, lengths, 1)
    return LOG.product(sentence_steps(emissions, lengths, LOG))[:, OUT, OUT]


def log_partition_without_best(emissions: Tensor, lengths: Tensor) -> Tensor:
    """The log of the sum over all legal paths except ``B I .. I E``: ``[n, t, 5], [n] -> [n]``.

    This is Algorithm 3 of the paper. Every length must be at least 2.
    """
    _check(emissions, lengths, 2)
    return LOG.product(span_steps(emissions, lengths, LOG))[:, OUT, OUT]


def nll(
    emissions: Tensor,
    lengths: Tensor,
    targets: Targets | Sequence[Target | FlatTarget],
    *,
    inner: bool = True,
) -> Tensor:
    """The negative log-likelihood of a batch, per sentence.

    ``emissions`` are ``[batch, type, token, 5]`` of any floating type (computed in at least
    float32); ``targets`` are those of the sentences (:func:`innermost.nest.target`), packed
    or not. ``inner=False`` omits the second-best terms: an ordinary CRF per type. Types that
    are not annotated in a sentence have no term, so their gradient there is exactly zero. With
    soft targets (:func:`innermost.crf.soften`), it is the cross-entropy with their distribution.
    """
    if emissions.ndim != 4 or emissions.shape[-1] != 5:
        raise ValueError(f"emissions must be [batch, type, token, 5], got {tuple(emissions.shape)}")
    if not isinstance(targets, Targets):
        targets = pack(targets).to(emissions.device)
    if targets.outer.shape[:3] != emissions.shape[:3]:
        raise ValueError(
            f"the targets are for [batch, type, token] = {tuple(targets.outer.shape[:3])}, "
            f"the emissions for {tuple(emissions.shape[:3])}"
        )
    if emissions.dtype in (torch.float16, torch.bfloat16):
        emissions = emissions.float()
    batch, types, time, _ = emissions.shape
    rows = emissions.reshape(batch * types, time, 5)
    row_lengths = lengths.to(emissions.device).repeat_interleave(types)
    outer, outer_tags = rows, targets.outer.flatten(0, 1)
    if (annotated := targets.annotated) is not None:
        outer, outer_tags = outer[annotated], outer_tags[annotated]
        row_lengths = row_lengths[annotated]
    loss = _terms(outer, row_lengths, outer_tags, log_partition)
    if inner and len(targets.length):
        spans = inner_rows(emissions, targets)
        loss = loss + _terms(spans, targets.length, targets.tags, log_partition_without_best)
    return loss / batch


def inner_rows(emissions: Tensor, targets: Targets) -> Tensor:
    """The emissions of each inner term, ``[term, longest, 5]``, from ``[batch, type, token, 5]``.

    Beyond a term's length, its last row is repeated.
    """
    _, types, time, _ = emissions.shape
    first = (targets.sentence * types + targets.type) * time + targets.start
    offset = torch.arange(targets.tags.shape[1], device=emissions.device)
    offset = torch.minimum(offset, targets.length.unsqueeze(-1) - 1)
    where = (first.unsqueeze(-1) + offset).flatten()
    return emissions.reshape(-1, 5).index_select(0, where).view(*targets.tags.shape[:2], 5)


def _terms(emissions: Tensor, lengths: Tensor, tags: Tensor, partition: Partition) -> Tensor:
    """The summed ``partition - score of the target`` of ``[n, t, 5]`` rows.

    The target is a path, ``tags [n, t]``, or the probabilities of all tags, ``[n, t, 5]``: since
    transitions score 0, they determine the expected score of a path.
    """
    inside = torch.arange(emissions.shape[1], device=emissions.device) < lengths.unsqueeze(-1)
    if tags.ndim == emissions.ndim:
        gold = (emissions * tags).sum(-1)
    else:
        gold = emissions.gather(-1, tags.unsqueeze(-1)).squeeze(-1)
    normalizer = partition(emissions, lengths)
    return normalizer.sum() - gold.masked_fill(~inside, 0.0).sum()


def _check(emissions: Tensor, lengths: Tensor, shortest: int) -> None:
    if emissions.ndim != 3 or emissions.shape[-1] != 5 or lengths.shape != emissions.shape[:1]:
        raise ValueError(
            "expected emissions [n, t, 5] and lengths [n], "
            f"got {tuple(emissions.shape)} and {tuple(lengths.shape)}"
        )
    if emissions.shape[1] < shortest:
        raise ValueError(f"needs at least {shortest} tokens, got {emissions.shape[1]}")
