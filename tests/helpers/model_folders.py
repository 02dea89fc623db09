"""Model folders with random weights, and the emissions of a trained folder in torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from helpers.trained_models import load_trained
from innermost.corpus import Sentence
from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import FILE, ModelInfo, info_bytes
from innermost.parts.settings import read_encoder
from innermost.parts.wordchar.files import VECTORS, VOCABULARY, vocabulary_bytes
from innermost.parts.wordchar.training import wordchar_part
from innermost.parts.wordchar.vectors import Vectors
from innermost.parts.wordchar.vocabulary import Vocabulary
from innermost.training.build import assemble
from innermost.training.records.checkpoint import weights_bytes

PRETRAINED = ["the", "of", "gene", "alpha", "river", "bank", "north", "sea"]
TRAINED = ["NF-kB", "Zürich"]
TYPES = ["X", "Y", "Z"]


def write_random_model(folder: Path, *, seed: int = 0, layers: int = 2) -> Path:
    """A folder as training writes it, before the export; finds many nested entities."""
    torch.manual_seed(seed)
    table = np.random.default_rng(seed).normal(size=(len(PRETRAINED), 10)).astype(np.float16)
    vocabulary = Vocabulary(TRAINED, PRETRAINED, sorted(set("abcdefghijklmnopqrstuvwxyzZNFkBü-")))
    settings = {"kind": "wordchar", "character_dimension": 6, "character_filters": 7}
    settings |= {"hidden": 9, "layers": layers}
    config = read_encoder(settings | {"dropout": 0.0})
    vectors = Vectors(PRETRAINED, table.astype(np.float32))
    parts = {"wordchar": wordchar_part(config.parts["wordchar"], vocabulary, vectors)}
    model = assemble(config, parts, len(TYPES)).model
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "bias" in name:
                parameter.normal_(std=0.3)
        model.get_parameter("emit.weight").mul_(6)
    folder.mkdir(parents=True, exist_ok=True)
    info = ModelInfo(types=TYPES, tokenizer="unicode", encoder=settings)
    (folder / FILE).write_bytes(info_bytes(info))
    (folder / VOCABULARY).write_bytes(vocabulary_bytes(vocabulary))
    (folder / WEIGHTS).write_bytes(weights_bytes(dict(model.state_dict())))
    np.save(folder / VECTORS, table)
    return folder


def torch_emissions(folder: Path, sentences: list[list[str]]) -> np.ndarray:
    """The emissions of a trained model for the sentences, in torch."""
    built, _ = load_trained(folder)
    built.model.eval()
    batch = built.features.collate(built.features.prepare([Sentence(s) for s in sentences]))
    with torch.no_grad():
        return built.model(batch).numpy()
