"""Transformers of several families give the same vectors in torch and in ONNX, at any length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the models of these tests are made with torch")
pytest.importorskip("transformers", reason="needs the transformers library")

import torch

from helpers.tiny_transformer import FAMILIES, TEXT, write_tiny_family
from innermost.corpus import Sentence
from innermost.network.embedder import Layout
from innermost.parts.contract import ExportOptions
from innermost.parts.transformer.export import export
from innermost.parts.transformer.runtime import open_features
from innermost.parts.transformer.settings import Settings
from innermost.parts.transformer.training import build
from innermost.runtime.features import Opening

SENTENCES = [text.split() for text in TEXT] + [["oslo"] * 90, ["news"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_onnx_equals_torch(family: str, tmp_path: Path) -> None:
    source = write_tiny_family(family, tmp_path / "source")
    settings = Settings(model=str(source), fine_tune=True)
    part = build(settings, None, [], torch.device("cpu"))
    part.module.eval()
    part.save(tmp_path)
    weights = {name: weight.numpy() for name, weight in part.module.state_dict().items()}
    items = part.features.prepare([Sentence(s) for s in SENTENCES])
    for int8, limit in ((False, 1e-4), (True, 0.3)):
        export(tmp_path, tmp_path, settings, weights, ExportOptions(int8=int8))
        features = open_features(tmp_path, settings, Opening(threads=1))
        found = features(features.prepare([[s] for s in SENTENCES]))
        for column, (item, sentence) in enumerate(zip(items, SENTENCES, strict=True)):
            with torch.no_grad():
                batch = part.features.collate([item], Layout.of([len(sentence)]))
                expected = part.module(batch).numpy()
            difference = found[: len(sentence), column] - expected
            assert np.sqrt(np.square(difference).mean()) < limit
            assert (found[len(sentence) :, column] == 0).all()
