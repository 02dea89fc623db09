"""Model folders of every kind, small enough to load thousands of times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from helpers.model_folders import write_random_model
from innermost.export.folder import export
from innermost.graphs.encoder import encoder_graph
from innermost.model_folder.contents import ENCODER
from innermost.model_folder.info import FILE, ModelInfo, info_bytes
from innermost.model_folder.manifest import write_manifest
from model_folder.graphs import recurrent_graphs, transformer_graphs

TYPES = ["X", "Y"]


def write_folders(folder: Path) -> Iterator[Path]:
    """Exported models: wordchar as floats, in int8 and with int4 vectors, flair, a transformer."""
    trained = write_random_model(folder / "trained")
    yield export(trained, folder / "wordchar")
    yield export(trained, folder / "int8", int8=True)
    yield export(trained, folder / "int4", vectors="int4")
    yield _write_flair(folder / "flair")
    yield _write_transformer(folder / "transformer", folder / "bert")


def _write_flair(folder: Path) -> Path:
    graphs = dict(recurrent_graphs())
    for number, (direction, name) in enumerate(
        (("forward", "language model"), ("backward", "language model int8"))
    ):
        target = folder / "flair" / str(number)
        target.mkdir(parents=True)
        (target / f"{direction}.onnx").write_bytes(graphs[name])
        (target / "chars.json").write_bytes(msgspec.json.encode(["", " ", *"abehilnorst"][:11]))
    return _finish(folder, {"kind": "flair", "models": ["a"], "layers": 0}, features=8)


def _write_transformer(folder: Path, source: Path) -> Path:
    folder.mkdir()
    settings = {"kind": "transformer", "model": "bert", "layers": 0}
    _, (_, graph) = transformer_graphs("Bert", "last", source)
    (folder / "transformer.onnx").write_bytes(graph)
    tokenizer = source / "transformer" / "tokenizer.json"
    (folder / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    return _finish(folder, settings, features=16)


def _finish(folder: Path, encoder: dict[str, object], features: int) -> Path:
    rng = np.random.default_rng(0)
    weights = {
        "emit.weight": rng.normal(size=(5 * len(TYPES), features)).astype(np.float32),
        "emit.bias": rng.normal(size=5 * len(TYPES)).astype(np.float32),
    }
    (folder / ENCODER).write_bytes(encoder_graph(weights, len(TYPES)))
    info = ModelInfo(types=TYPES, tokenizer="unicode", encoder=encoder)
    (folder / FILE).write_bytes(info_bytes(info))
    write_manifest(folder)
    return folder
