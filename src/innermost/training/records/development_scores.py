"""Predictions of a model in training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from innermost import crf
from innermost.arrays import Bools, Floats
from innermost.evaluation import Evaluation
from innermost.evaluation.temperature import SENTENCES, Decoded, correct, fit_temperature
from innermost.nest import Span
from innermost.network.tagger import TaggerFeatures
from innermost.runtime.batches import batches
from innermost.training.data.dataset import Prepared
from innermost.training.loop import precision

BATCH_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Predictor:
    """What prediction needs in addition to the model and the data."""

    features: TaggerFeatures
    types: Sequence[str]
    device: torch.device
    max_depth: int | None = None
    number_format: str = "float32"

    def evaluate(self, model: nn.Module, data: Prepared) -> Evaluation:
        """Evaluate the model."""
        evaluation = Evaluation()
        for batch, emissions in self.emissions(model, data):
            decoded = crf.decode(emissions, [data.lengths[i] for i in batch], self.max_depth)
            for index, found in zip(batch, decoded, strict=True):
                spans = [Span(start, end, self.types[kind]) for start, end, kind, _ in found]
                labels = data.annotated[index]
                if labels is not None:  # the other types are not annotated
                    spans = [span for span in spans if span.label in labels]
                evaluation.add(data.entities[index], spans)
        return evaluation

    def temperature(self, model: nn.Module, data: Prepared) -> float:
        """The temperature that calibrates the model's scores."""
        chosen = Prepared(
            data.items[:SENTENCES],
            data.lengths[:SENTENCES],
            data.entities[:SENTENCES],
            data.annotated[:SENTENCES],
            [],
        )
        return fit_temperature(self._decoded(model, chosen))

    def _decoded(self, model: nn.Module, data: Prepared) -> Iterator[Decoded]:
        for batch, emissions in self.emissions(model, data):
            lengths = np.array([data.lengths[i] for i in batch])
            found = crf.find(emissions, lengths, self.max_depth)
            found = found.of_rows(self._annotated([data.annotated[i] for i in batch]))
            right = correct([data.entities[i] for i in batch], found, self.types)
            yield Decoded(emissions, lengths, found, right)

    def _annotated(self, annotated: Sequence[frozenset[str] | None]) -> Bools:
        """``[sentence * types + type]``: whether the type is annotated in the sentence."""
        rows = [labels is None or t in labels for labels in annotated for t in self.types]
        return np.array(rows, dtype=np.bool_)

    def emissions(self, model: nn.Module, data: Prepared) -> Iterator[tuple[list[int], Floats]]:
        """Batches of sentence numbers with the model's emissions."""
        model.eval()
        for batch in batches(data.lengths, BATCH_TOKENS, self.features.groups(data.items)):
            inputs = self.features.collate([data.items[i] for i in batch])
            with torch.no_grad(), precision(self.number_format, self.device):
                emissions = model(inputs.to(self.device))
            yield batch, emissions.float().cpu().numpy()
