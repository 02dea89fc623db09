"""A new part is one package and one line in the registry: the example of docs/encoders.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")

from helpers.model_folders import torch_emissions
from helpers.trained_models import load_data
from innermost import load
from innermost.export.folder import export
from innermost.parts.registry import PARTS
from innermost.training.run import run
from innermost.training.settings.config import load_config

DOCS = Path(__file__).parents[2] / "docs" / "encoders.md"
FILE = re.compile(r"```python\n# (shape/\w+\.py)\n(.*?)```", re.DOTALL)
TOKENS = ["the", "rector", "of", "Oslo", "spoke", "in", "2019"]


@pytest.fixture
def shape_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package from the documentation, importable and registered."""
    files = dict(FILE.findall(DOCS.read_text(encoding="utf-8")))
    assert len(files) == 4
    (tmp_path / "shape").mkdir()
    for name, code in files.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PARTS, "shape", "shape")
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "shape"]:
        del sys.modules[name]


@pytest.mark.parametrize("form", ["alone", "in a stack"])
def test_a_new_part_trains_exports_and_predicts(
    form: str, shape_part: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    sizes = {"word_dimension": 8, "character_dimension": 4, "character_filters": 6}
    stack = [f"encoder.wordchar.{name}={size}" for name, size in sizes.items()]
    chosen = ["encoder.kind=shape"] if form == "alone" else stack
    overrides = [
        *chosen,
        f"encoder.{'' if form == 'alone' else 'shape.'}width=5",
        *(f"data.{name}={toy_corpus_file}" for name in ("train", "dev")),
        *("encoder.hidden=8", "training.epochs=2", "training.threads=1", "training.device=cpu"),
    ]
    config = load_config(None, overrides)
    assert list(config.encoder.parts) == (["shape"] if form == "alone" else ["wordchar", "shape"])
    data, _ = load_data(config)
    for _ in run(config, data, 1, tmp_path / "run"):
        pass
    model = load(tmp_path / "run", threads=1)
    features = model.pipeline.features(model.pipeline.features.prepare([[TOKENS]]))
    assert features.shape[2] == (5 if form == "alone" else 8 + 6 + 5)
    emissions = model.pipeline.encoder(features, np.array([len(TOKENS)]))
    expected = torch_emissions(tmp_path / "run" / "model", [TOKENS])
    np.testing.assert_allclose(emissions, expected, atol=1e-4)
    assert len(model.predict_tokens([TOKENS])) == 1
    small = load(export(tmp_path / "run" / "model", tmp_path / "int8", int8=True), threads=1)
    assert len(small.predict_tokens([TOKENS])) == 1


@pytest.mark.parametrize("half", ["runtime", "settings"])
def test_running_a_part_needs_no_torch(half: str) -> None:
    names = [f"{package}.{half}" for package in PARTS.values()]
    program = (
        f"import sys, {', '.join(names)}; print([m for m in ('torch', 'onnx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
