"""Predictions of a model in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from innermost import crf
from innermost.crf.decoding import best_lattice
from innermost.evaluation import Evaluation
from innermost.evaluation.temperature import SENTENCES, Decoded, correct, fit_temperature
from innermost.nest import Span
from innermost.network.tagger import TaggerFeatures
from innermost.runtime.batches import batches
from innermost.training.dataset import Prepared
from innermost.training.loop import precision

BATCH_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Predictor:
    """All that predicting needs besides the model and the data."""

    features: TaggerFeatures
    types: Sequence[str]
    device: torch.device
    max_depth: int | None = None
    number_format: str = "float32"

    def evaluate(self, model: nn.Module, data: Prepared) -> Evaluation:
        """How well the model does."""
        evaluation = Evaluation()
        for batch, emissions in self._emissions(model, data):
            decoded = crf.decode(emissions, [data.lengths[i] for i in batch], self.max_depth)
            for index, found in zip(batch, decoded, strict=True):
                spans = [Span(start, end, self.types[kind]) for start, end, kind, _ in found]
                evaluation.add(data.entities[index], spans)
        return evaluation

    def temperature(self, model: nn.Module, data: Prepared) -> float:
        """What to divide the model's emissions by for honest scores."""
        chosen = Prepared(
            data.items[:SENTENCES], data.lengths[:SENTENCES], data.entities[:SENTENCES], []
        )
        return fit_temperature(self._decoded(model, chosen))

    def _decoded(self, model: nn.Module, data: Prepared) -> Iterator[Decoded]:
        for batch, emissions in self._emissions(model, data):
            lengths = np.array([data.lengths[i] for i in batch])
            found = crf.find(best_lattice(emissions, lengths), self.max_depth)
            right = correct([data.entities[i] for i in batch], found, self.types)
            yield Decoded(emissions, lengths, found, right)

    def _emissions(
        self, model: nn.Module, data: Prepared
    ) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Batches of sentences, by number, with what the model says of them."""
        model.eval()
        for batch in batches(data.lengths, BATCH_TOKENS):
            inputs = self.features.collate([data.items[i] for i in batch])
            with torch.no_grad(), precision(self.number_format, self.device):
                emissions = model(inputs.to(self.device))
            yield batch, emissions.float().cpu().numpy()
