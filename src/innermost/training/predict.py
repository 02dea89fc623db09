"""Predictions of a model in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from innermost import crf
from innermost.crf.decoding import best_lattice
from innermost.encoders.tagger import TaggerFeatures
from innermost.evaluation import Evaluation
from innermost.nest import Span
from innermost.runtime.temperature import SENTENCES, Decoded, correct, fit_temperature
from innermost.training.batching import batches
from innermost.training.dataset import Prepared
from innermost.training.loop import precision

BATCH_TOKENS = 8_192


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
    result: list[list[Span]] = [[] for _ in data.items]
    for batch, emissions in _emissions(model, data, features, device, number_format):
        decoded = crf.decode(emissions, [data.lengths[i] for i in batch], max_depth)
        for index, entities in zip(batch, decoded, strict=True):
            result[index] = [Span(start, end, types[kind]) for start, end, kind, _ in entities]
    return result


def temperature(
    model: nn.Module,
    data: Prepared,
    features: TaggerFeatures,
    types: Sequence[str],
    *,
    device: torch.device,
    max_depth: int | None = None,
    number_format: str = "float32",
) -> float:
    """What to divide the model's emissions by for honest scores."""

    def decoded() -> Iterator[Decoded]:
        for batch, emissions in _emissions(model, chosen, features, device, number_format):
            lengths = np.array([chosen.lengths[i] for i in batch])
            found = crf.find(best_lattice(emissions, lengths), max_depth)
            right = correct([chosen.entities[i] for i in batch], found, types)
            yield Decoded(emissions, lengths, found, right)

    chosen = Prepared(
        data.items[:SENTENCES], data.lengths[:SENTENCES], data.entities[:SENTENCES], []
    )
    return fit_temperature(decoded())


def _emissions(
    model: nn.Module,
    data: Prepared,
    features: TaggerFeatures,
    device: torch.device,
    number_format: str,
) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
    """Batches of sentences, by number, with what the model says of them."""
    model.eval()
    for batch in batches(data.lengths, BATCH_TOKENS):
        inputs = features.collate([data.items[i] for i in batch])
        with torch.no_grad(), precision(number_format, device):
            yield batch, model(inputs.to(device)).float().cpu().numpy()


def evaluate(gold: Sequence[Sequence[Span]], predicted: Sequence[Sequence[Span]]) -> Evaluation:
    evaluation = Evaluation()
    for pair in zip(gold, predicted, strict=True):
        evaluation.add(*pair)
    return evaluation
