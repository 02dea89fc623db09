"""Graphs as the exporters write them, small, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from innermost.graphs.encoder import encoder_graph
from innermost.graphs.int8 import eight_bits
from innermost.parts.flair.export import language_model_graph


def recurrent_graphs() -> Iterator[tuple[str, bytes]]:
    """Encoders and character language models, in float32 and int8."""
    rng = np.random.default_rng(0)
    weights: dict[str, np.ndarray] = {}

    def add(name: str, *shape: int) -> None:
        weights[name] = rng.normal(size=shape).astype(np.float32)

    for layer, inputs in enumerate((7, 8)):
        for direction in ("", "_reverse"):
            add(f"lstm.layers.{layer}.weight_ih_l0{direction}", 16, inputs)
            add(f"lstm.layers.{layer}.weight_hh_l0{direction}", 16, 4)
            add(f"lstm.layers.{layer}.bias_ih_l0{direction}", 16)
            add(f"lstm.layers.{layer}.bias_hh_l0{direction}", 16)
    add("emit.weight", 10, 8)
    add("emit.bias", 10)
    yield "encoder", encoder_graph(weights, 2)
    yield "encoder int8", encoder_graph(weights, 2, int8=True, largest=3.0)
    yield "encoder int8 unbounded", encoder_graph(weights, 2, int8=True)
    yield "linear", encoder_graph({n: w for n, w in weights.items() if "emit" in n}, 2)
    add("encoder.weight", 11, 3)
    for layer, inputs in enumerate((3, 4)):
        add(f"rnn.weight_ih_l{layer}", 16, inputs)
        add(f"rnn.weight_hh_l{layer}", 16, 4)
        add(f"rnn.bias_ih_l{layer}", 16)
        add(f"rnn.bias_hh_l{layer}", 16)
    yield "language model", language_model_graph(weights)
    yield "language model int8", language_model_graph(weights, int8=True)


def transformer_graphs(family: str, layers_used: str, folder: Path) -> Iterator[tuple[str, bytes]]:
    """A transformer of a family, in float32 and int8."""
    import torch

    from helpers.tiny_transformer import write_tiny_family
    from innermost.parts.transformer.export import transformer_graph
    from innermost.parts.transformer.files import FOLDER
    from innermost.parts.transformer.settings import Settings
    from innermost.parts.transformer.training import build

    source = write_tiny_family(family, folder / "source")
    settings = Settings(model=str(source), fine_tune=True, layers_used=layers_used)
    part = build(settings, None, [], torch.device("cpu"))
    part.save(folder)
    weights = {name: weight.numpy() for name, weight in part.module.state_dict().items()}
    graph = transformer_graph(folder / FOLDER, settings, weights)
    yield family, graph
    yield f"{family} int8", eight_bits(graph)
