"""Predictions of a model in training."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from innermost import crf
from innermost.encoders.tagger import TaggerFeatures
from innermost.evaluation import Evaluation
from innermost.nest import Span
from innermost.training.batching import batches
from innermost.training.dataset import Prepared
from innermost.training.loop import precision

BATCH_TOKENS = 8_192


@torch.no_grad()
def predict(
    model: nn.Module,
    data: Prepared,
    features: TaggerFeatures,
    types: Sequence[str],
    *,
    device: torch.device,
    max_depth: int | None = None,
    number_format: str = "float32",
) -> list[list[Span]]:
    """The entities of each sentence."""
    model.eval()
    result: list[list[Span]] = [[] for _ in data.items]
    for batch in batches(data.lengths, BATCH_TOKENS):
        inputs = features.collate([data.items[i] for i in batch])
        with precision(number_format, device):
            emissions = model(inputs.to(device)).float().cpu().numpy()
        decoded = crf.decode(emissions, [data.lengths[i] for i in batch], max_depth)
        for index, entities in zip(batch, decoded, strict=True):
            result[index] = [Span(start, end, types[kind]) for start, end, kind, _ in entities]
    return result


def evaluate(gold: Sequence[Sequence[Span]], predicted: Sequence[Sequence[Span]]) -> Evaluation:
    evaluation = Evaluation()
    for pair in zip(gold, predicted, strict=True):
        evaluation.add(*pair)
    return evaluation
