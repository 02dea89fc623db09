"""Soft targets: tag probabilities of other models in place of one annotated path (distillation).

Transitions score 0, so the expected score of a path is the sum of the emissions, weighted by the
tags' probabilities. They are all that the cross-entropy needs, and it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from innermost.arrays import Floats, Ints
from innermost.crf.loss import (
    Partition,
    inner_rows,
    log_partition,
    log_partition_without_best,
)
from innermost.crf.targets import FlatTarget, SoftTags, pack


def marginals(emissions: Tensor, lengths: Tensor, partition: Partition = log_partition) -> Tensor:
    """The probability of each tag at each token, over all paths: ``[n, t, 5], [n] -> [n, t, 5]``.

    It is the gradient of the log-partition; with ``log_partition_without_best``, of all paths but
    ``B I .. I E``. Beyond a sentence's length, all are 0.
    """
    with torch.enable_grad():
        own = emissions.detach().requires_grad_()
        (probabilities,) = torch.autograd.grad(partition(own, lengths).sum(), own)
    return probabilities


def soften(
    targets: Sequence[FlatTarget], emissions: Tensor, lengths: Tensor, trust: float = 1.0
) -> list[FlatTarget]:
    """The targets of a batch with the probabilities of a model with these ``emissions``.

    ``trust`` is the share of these probabilities; the rest is the annotated path. The inner terms
    are still those of the annotated entities. ``emissions`` are ``[batch, type, token, 5]``.
    """
    types = emissions.shape[1]
    rows = lengths.to(emissions.device).repeat_interleave(types)
    outer = marginals(emissions.flatten(0, 1), rows).view(emissions.shape).cpu().numpy()
    inner = np.zeros((0, 5), dtype=np.float32)
    packed = pack(targets).to(emissions.device)
    if len(packed.length):
        spans = inner_rows(emissions, packed)
        padded = marginals(spans, packed.length, log_partition_without_best)
        position = torch.arange(spans.shape[1], device=emissions.device)
        inner = padded[position < packed.length.unsqueeze(-1)].cpu().numpy()
    soft: list[FlatTarget] = []
    first = 0
    for target, own in zip(targets, outer, strict=True):
        last = first + len(target.tags)
        tags = SoftTags(
            _mixed(target.outer, own[:, : target.outer.shape[1]], trust),
            _mixed(target.tags, inner[first:last], trust),
        )
        soft.append(replace(target, soft=tags))
        first = last
    return soft


def _mixed(tags: Ints, probabilities: Floats, trust: float) -> Floats:
    certain = np.eye(5, dtype=np.float32)[tags]
    mixed: Floats = (trust * probabilities + (1 - trust) * certain).astype(np.float16)
    return mixed
