"""Export the transformer as an ONNX graph: ``ids, mask [window, position] -> vectors [window,
position, width]``, the layers already selected or mixed."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from innermost.arrays import Weights
from innermost.files.atomic import write_atomically
from innermost.graphs.int8 import eight_bits
from innermost.graphs.lstm import OPSET
from innermost.model_folder.graph_check import write_graph
from innermost.parts.contract import ExportOptions
from innermost.parts.transformer.files import FOLDER, GRAPH, TOKENIZER
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.parts.transformer.module import TransformerEmbedder
from innermost.parts.transformer.settings import Settings

WORD_VECTORS = False


def largest_feature(folder: Path, weights: Weights) -> None:
    """Unknown."""


def export(
    folder: Path, out: Path, settings: Settings, weights: Weights, options: ExportOptions
) -> None:
    graph = transformer_graph(folder / FOLDER, settings, weights)
    write_graph(out / GRAPH, eight_bits(graph) if options.int8 else graph)
    write_atomically(out / TOKENIZER, (folder / FOLDER / TOKENIZER).read_bytes())


class _Hidden(nn.Module):
    """Only the steps before pooling, which is done in NumPy."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.embedder.hidden(ids, mask)


def transformer_graph(folder: Path, settings: Settings, weights: Weights) -> bytes:
    """The graph of the transformer saved in ``folder`` with its trained ``weights``."""
    pretrained = load_pretrained(str(folder), weights=not settings.fine_tune)
    encoder: Any = pretrained.encoder
    encoder.set_attn_implementation("eager")
    embedder = TransformerEmbedder(
        encoder,
        layers_used=settings.layers_used,
        pooling=settings.pooling,
        learning_rate=settings.learning_rate,
        layer_decay=settings.layer_decay,
    )
    trained = {name: torch.from_numpy(np.array(weight)) for name, weight in weights.items()}
    # In a frozen transformer, only the mix of layers was trained.
    embedder.load_state_dict(trained, strict=settings.fine_tune)
    return _traced(_Hidden(embedder).eval(), pretrained.subwords.pad)


def _traced(module: nn.Module, pad: int) -> bytes:
    """Use the exporter that needs only torch and keeps both sizes of the input dynamic."""
    ids = torch.full((2, 5), pad + 1)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    free = {0: "window", 1: "position"}
    with TemporaryDirectory() as folder, warnings.catch_warnings(), torch.no_grad():
        path = Path(folder) / "transformer.onnx"
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            (ids, mask),
            path,
            input_names=["ids", "mask"],
            output_names=["vectors"],
            dynamic_axes={"ids": free, "mask": free, "vectors": free},
            opset_version=OPSET,
            dynamo=False,
        )
        return path.read_bytes()
