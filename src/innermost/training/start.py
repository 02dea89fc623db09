"""A model to start from: its vectors, characters, BiLSTM, and the heads of types that it knows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from innermost.arrays import Floats, Weights
from innermost.corpus import Sentence
from innermost.errors import ConfigError
from innermost.evaluation.counts import Counts
from innermost.export.restored import model_weights
from innermost.model_folder.info import SEPARATOR, ModelInfo, read_info
from innermost.model_folder.installed import locate
from innermost.model_folder.origins import origin
from innermost.nest import Span
from innermost.network.tagger import TAGS
from innermost.parts.contract import Growing, Part
from innermost.parts.registry import training_half
from innermost.parts.settings import EncoderConfig, model_encoder
from innermost.runtime import load
from innermost.training.build import Built, assemble
from innermost.training.data.dataset import Split, types_in
from innermost.training.settings.changes import changes
from innermost.training.settings.config import Settings

Heads = Mapping[str, str]
"""By type of the data, the type of the model whose head it starts with."""
FITTING = 0.15
"""F1 of a type of the model as a prediction of another type, for its head to be a good start."""
COMPARED = 2_000
"""Training sentences that heads are compared on, at most."""
LEVELS_COMPARED = 8
"""Levels of a model that is compared with data: one that does not fit may nest without end."""

_WEIGHTS = (".json", ".npy", ".onnx", ".safetensors")
"""Suffixes of the files that determine what a model predicts."""


@dataclass(frozen=True, slots=True)
class Start:
    name: str
    folder: Path
    info: ModelInfo
    encoder: EncoderConfig
    weights: Weights = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """Of the files: restored weights differ in their last digits with the number of threads."""
        hashed = hashlib.sha256(repr(self.info.types).encode())
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in _WEIGHTS:
                hashed.update(path.name.encode() + path.read_bytes())
        return hashed.hexdigest()

    @property
    def origin(self) -> dict[str, Any]:
        """What a model that comes from this one records about it."""
        return origin(self.folder, self.info)

    def settings(self) -> Settings:
        """The settings that a model starting from this one inherits, unless set otherwise."""
        return {
            "data": {"tokenizer": self.info.tokenizer},
            "encoder": self.encoder.without_paths(),
            "model": {"layers": self.info.layers},
        }

    def predictions(
        self, sentences: Sequence[Sentence], *, max_depth: int | None = None
    ) -> list[list[Span]]:
        """What the model predicts in all of its layers, with the full names of its types."""
        result: list[list[Span]] = [[] for _ in sentences]
        for layer in (None, *self.info.layers):
            prefix = f"{layer}{SEPARATOR}" if layer else ""
            model = load(self.folder, layer=layer, max_depth=max_depth)
            predicted = model.predict_sentences(sentences)
            for spans, more in zip(result, predicted, strict=True):
                spans.extend(Span(s.start, s.end, prefix + s.label) for s in more)
        return result


def read_start(name: str) -> Start:
    """The model in a folder or with a name, exported or as written by training."""
    folder = locate(name)
    info = read_info(folder)
    encoder = model_encoder(folder, info)
    return Start(name, folder, info, encoder, model_weights(folder, encoder))


def fitting_heads(start: Start, train: Split) -> Heads:
    """For each type of the data, the type of the model that finds its entities best.

    Where none does, it is the one with the same name; a type without either is left out. Sentences
    that do not annotate a type have no say in it. If the data has exactly the types of the model,
    nothing is compared: that takes minutes with a large transformer.
    """
    sentences = train.sentences[:COMPARED]
    types = types_in(train)
    if types == set(start.info.types):
        return {label: label for label in start.info.types}
    pairs = {(label, known): Counts() for label in sorted(types) for known in start.info.types}
    predictions = start.predictions(sentences, max_depth=LEVELS_COMPARED)
    rows = zip(sentences, train.annotated(), predictions, strict=False)
    for sentence, annotated, spans in rows:
        gold, predicted = _by_label(sentence.entities), _by_label(spans)
        for label in types if annotated is None else types & annotated:
            for known in start.info.types:
                entities, guesses = gold.get(label, set()), predicted.get(known, set())
                correct = len(entities & guesses)
                pairs[label, known] += Counts(len(entities), len(guesses), correct)
    heads: dict[str, str] = {}
    for label in sorted(types):
        f1 = {known: pairs[label, known].f1 for known in start.info.types}
        best = max(f1, key=lambda known: (f1[known], known == label))
        if f1[best] >= FITTING:
            heads[label] = best
        elif label in f1:
            heads[label] = label
    return heads


def _by_label(spans: Iterable[Span]) -> dict[str, set[tuple[int, int]]]:
    places: dict[str, set[tuple[int, int]]] = {}
    for span in spans:
        places.setdefault(span.label, set()).add((span.start, span.end))
    return places


def build_from(
    start: Start,
    config: EncoderConfig,
    sentences: Sequence[Sentence],
    types: Sequence[str],
    device: torch.device,
    *,
    heads: Heads,
    frozen: bool = False,
) -> Built:
    """A model with the weights of ``start``; missing ones are drawn from torch's seed.

    ``frozen``: only the heads can be trained, and no word is added.
    """
    parts: dict[str, Part] = {}
    for name, settings in config.parts.items():
        part = training_half(name).load(settings, start.folder, device)
        _load(part.module, f"{name}.", start, config)
        if isinstance(part, Growing) and not frozen:
            part = part.grown(sentences)
        parts[name] = part
    built = assemble(config, parts, len(types))
    _load(built.model.lstm, "lstm.", start, config)
    with torch.no_grad():
        emit = built.model.emit
        for number, label in enumerate(types):
            if label in heads:
                rows = slice(number * TAGS, (number + 1) * TAGS)
                first = start.info.types.index(heads[label]) * TAGS
                emit.weight[rows] = _tensor(start.weights["emit.weight"][first : first + TAGS])
                emit.bias[rows] = _tensor(start.weights["emit.bias"][first : first + TAGS])
    if frozen:
        for module in (built.model.lstm, *built.model.embedders):
            module.requires_grad_(False)
    return built


def _load(module: torch.nn.Module, prefix: str, start: Start, config: EncoderConfig) -> None:
    own = {n.removeprefix(prefix): w for n, w in start.weights.items() if n.startswith(prefix)}
    try:
        module.load_state_dict({name: _tensor(values) for name, values in own.items()})
    except RuntimeError:
        encoders = [{"encoder": e.without_paths()} for e in (start.encoder, config)]
        changed = [change for change in changes(*encoders) if "dropout" not in change]
        raise ConfigError(
            f"the settings under [encoder] do not match the weights of {start.name}: "
            f"{', '.join(changed)}",
            hint="with --start-from, only dropout can be changed there",
        ) from None


def _tensor(values: Floats) -> torch.Tensor:
    return torch.from_numpy(np.array(values))
