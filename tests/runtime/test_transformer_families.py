"""Transformers of several families give the same vectors in torch and in ONNX, at any length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the models of these tests are made with torch")
pytest.importorskip("transformers", reason="needs the transformers library")

import torch

from innermost.corpus import Sentence
from innermost.export.int8 import eight_bits
from innermost.model_folder.contents import TOKENIZER, TRANSFORMER, TRANSFORMER_GRAPH
from innermost.network.embedder import pack
from innermost.parts.settings import TransformerSettings
from innermost.parts.transformer.graph import transformer_graph
from innermost.parts.transformer.runtime import TransformerFeatures
from innermost.parts.transformer.training import build_transformer
from tiny_transformer import FAMILIES, TEXT, write_tiny_family

SENTENCES = [text.split() for text in TEXT] + [["oslo"] * 90, ["news"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_onnx_equals_torch(family: str, tmp_path: Path) -> None:
    source = write_tiny_family(family, tmp_path / "source")
    settings = TransformerSettings(model=str(source), fine_tune=True)
    part = build_transformer(settings, torch.device("cpu"))
    part.module.eval()
    part.save(tmp_path)
    state = {f"transformer.{k}": v.numpy() for k, v in part.module.state_dict().items()}
    graph = transformer_graph(tmp_path / TRANSFORMER, settings, state)
    (tmp_path / TOKENIZER).write_bytes((tmp_path / TRANSFORMER / TOKENIZER).read_bytes())
    items = part.features.prepare([Sentence(s) for s in SENTENCES])
    for made, limit in ((graph, 1e-4), (eight_bits(graph), 0.3)):
        (tmp_path / TRANSFORMER_GRAPH).write_bytes(made)
        features = TransformerFeatures(tmp_path, settings, 1)
        found = features(features.prepare([[s] for s in SENTENCES]))
        for column, (item, sentence) in enumerate(zip(items, SENTENCES, strict=True)):
            with torch.no_grad():
                batch = part.features.collate([item], pack([len(sentence)]))
                expected = part.module(batch).numpy()
            difference = found[: len(sentence), column] - expected
            assert np.sqrt(np.square(difference).mean()) < limit
            assert (found[len(sentence) :, column] == 0).all()
