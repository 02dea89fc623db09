"""A transformer as an ONNX graph: ``ids, mask [window, position] -> vectors [window, position,
width]``, the layers already chosen or mixed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from innermost.parts.settings import TransformerSettings
from innermost.parts.transformer.huggingface import load_pretrained
from innermost.parts.transformer.module import TransformerEmbedder

OPSET = 17
_PREFIX = "transformer."


class _Hidden(nn.Module):
    """Only what runs before pooling, which is done in NumPy."""

    def __init__(self, embedder: TransformerEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.embedder.hidden(ids, mask)


def transformer_graph(
    folder: Path, settings: TransformerSettings, weights: Mapping[str, npt.NDArray[Any]]
) -> bytes:
    """``folder`` holds the transformer as it was saved, ``weights`` what was trained of it."""
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
    trained = {
        name.removeprefix(_PREFIX): torch.from_numpy(np.array(weight))
        for name, weight in weights.items()
        if name.startswith(_PREFIX)
    }
    # Of a frozen one, only the mix of layers was trained.
    embedder.load_state_dict(trained, strict=settings.fine_tune)
    return _traced(_Hidden(embedder).eval(), pretrained.subwords.pad)


def _traced(module: nn.Module, pad: int) -> bytes:
    """By the exporter that needs nothing but torch and keeps both sizes of the input free."""
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
