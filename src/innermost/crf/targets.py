"""The training targets of a batch as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from innermost.arrays import Bools, Floats, Ints
from innermost.nest import Target
from innermost.tensors import TensorBatch


@dataclass(frozen=True, slots=True)
class SoftTags:
    """The probabilities of the tags of one sentence; see :func:`innermost.crf.soften`."""

    outer: Floats
    """``[type, token, tag]``"""
    tags: Floats
    """``[place, tag]``, inside the entities, one term after the other."""


@dataclass(frozen=True, slots=True)
class FlatTarget:
    """The target of one sentence as arrays, built once and used in many batches."""

    outer: Ints
    """``[type, token]`` tags of the outermost entities."""
    spans: Ints
    """``[term, 3]``: type, start, end of every entity of two or more tokens."""
    tags: Ints
    """The tags inside those entities, one term after the other."""
    annotated: Bools
    """``[type]``: whether the type was annotated; the others do not contribute to the loss."""
    soft: SoftTags | None = None
    """Probabilities that take the place of the tags; None: the tags are certain."""


@dataclass(frozen=True, slots=True)
class Targets(TensorBatch):
    """The targets of a batch: ``outer [batch, type, token]`` and one row per inner term."""

    outer: Tensor
    """Or, if the targets are soft, ``[batch, type, token, tag]``."""
    sentence: Tensor
    type: Tensor
    start: Tensor
    length: Tensor
    tags: Tensor
    """``[term, longest]``; if the targets are soft, ``[term, longest, tag]``."""
    annotated: Tensor | None = None
    """``[row]``: the rows ``sentence * types + type`` that are annotated; None: all."""


def flatten(target: Target) -> FlatTarget:
    spans = [(term.type, term.start, term.end) for term in target.inner]
    annotated = [kind not in target.unannotated for kind in range(len(target.outer))]
    return FlatTarget(
        outer=np.array(target.outer, dtype=np.int64),
        spans=np.array(spans, dtype=np.int64).reshape(-1, 3),
        tags=np.array([tag for term in target.inner for tag in term.tags], dtype=np.int64),
        annotated=np.array(annotated, dtype=np.bool_),
    )


def pack(targets: Sequence[FlatTarget | Target]) -> Targets:
    """Pad and join the targets of a batch of sentences."""
    flat = [flatten(t) if isinstance(t, Target) else t for t in targets]
    longest = max(t.outer.shape[1] for t in flat)
    outer = np.full((len(flat), flat[0].outer.shape[0], longest), 4, dtype=np.int64)
    for row, t in zip(outer, flat, strict=True):
        row[:, : t.outer.shape[1]] = t.outer
    spans = np.concatenate([t.spans for t in flat])
    length = spans[:, 2] - spans[:, 1]
    tags = np.full((len(spans), length.max(initial=1)), 4, dtype=np.int64)
    tags[np.arange(tags.shape[1]) < length[:, None]] = np.concatenate([t.tags for t in flat])
    sentence = np.repeat(np.arange(len(flat)), [len(t.spans) for t in flat])
    if any(t.soft is not None for t in flat):
        outer, tags = _soft(flat, outer, tags, length)
    parts = (outer, sentence, spans[:, 0].copy(), spans[:, 1].copy(), length, tags)
    annotated = np.concatenate([t.annotated for t in flat])
    some = None if annotated.all() else torch.from_numpy(annotated.nonzero()[0])
    return replace(Targets(*map(torch.from_numpy, parts)), annotated=some)


def _soft(
    flat: Sequence[FlatTarget], outer: Ints, tags: Ints, length: Ints
) -> tuple[Floats, Floats]:
    """The same targets as probabilities; certain ones have a single tag with probability 1."""
    certain = np.eye(5, dtype=np.float32)
    soft_outer, soft_tags = certain[outer], certain[tags]
    inside = np.arange(tags.shape[1]) < length[:, None]
    terms = soft_tags[inside]
    first = 0
    for row, target in zip(soft_outer, flat, strict=True):
        last = first + len(target.tags)
        if target.soft is not None:
            row[:, : target.outer.shape[1]] = target.soft.outer
            terms[first:last] = target.soft.tags
        first = last
    soft_tags[inside] = terms
    return soft_outer, soft_tags
