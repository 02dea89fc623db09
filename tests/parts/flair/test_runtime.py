"""Character language models without torch: the same vectors, and models that use them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.toy_corpus import toy_sentences
from helpers.trained_models import load_data, load_trained
from innermost import crf
from innermost.errors import ModelError
from innermost.export.folder import export
from innermost.parts.flair.character_lm import UNKNOWN, CharacterLM, save_character_lms
from innermost.parts.flair.export import language_model_graph
from innermost.parts.flair.runtime import FlairFeatures, OnnxReader
from innermost.parts.flair.string_embeddings import string_embeddings
from innermost.runtime import load
from innermost.runtime.features import Opening
from innermost.training.run import run
from innermost.training.settings.config import build_config

OPEN = Opening(threads=1)
LETTERS = [UNKNOWN, " ", "\n", *"abcdefghijklmnopqrstuvwxyz.LOTG"]
SENTENCES = [["the", "mayor", "of", "Oslo", "é"], ["x" * 600, "spoke"], ["rain"]]


def _language_model(direction: str, layers: int = 1) -> CharacterLM:
    torch.manual_seed(len(direction))
    model = CharacterLM(LETTERS, direction, embedding=8, hidden=16, layers=layers)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def _write_graph(folder: Path, model: CharacterLM, *, int8: bool = False) -> Path:
    save_character_lms(folder, [model])
    weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    (folder / f"{model.direction}.onnx").write_bytes(language_model_graph(weights, int8=int8))
    return folder


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("layers", [1, 2])
def test_the_vectors_are_those_of_torch(tmp_path: Path, direction: str, layers: int) -> None:
    model = _language_model(direction, layers)
    reader = OnnxReader(_write_graph(tmp_path, model), OPEN)
    assert (reader.direction, reader.hidden) == (direction, 16)
    expected = string_embeddings([model], SENTENCES)
    for own, other in zip(string_embeddings([reader], SENTENCES), expected, strict=True):
        assert own == pytest.approx(other, abs=1e-5)


def test_eight_bits_are_close(tmp_path: Path) -> None:
    model = _language_model("forward", 2)
    reader = OnnxReader(_write_graph(tmp_path, model, int8=True), OPEN)
    expected = np.concatenate(string_embeddings([model], SENTENCES))
    found = np.concatenate(string_embeddings([reader], SENTENCES))
    lengths = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    assert ((found * expected).sum(axis=1) / lengths).min() > 0.98
    assert not np.array_equal(found, expected)


@pytest.fixture(scope="module")
def trained(toy_corpus_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model over words and two language models, trained briefly."""
    folder = tmp_path_factory.mktemp("flair-run")
    for direction in ("forward", "backward"):
        save_character_lms(folder / direction, [_language_model(direction)])
    words = {"word_dimension": 8, "character_dimension": 4, "character_filters": 6}
    models = [str(folder / "forward"), str(folder / "backward")]
    stack = {"kind": "stack", "wordchar": words, "flair": {"models": models}}
    file = str(toy_corpus_file)
    config = build_config(
        {
            "data": {"train": file, "dev": file, "test": file, "tokenizer": "whitespace"},
            "encoder": stack | {"hidden": 16, "layers": 1},
            "training": {
                "optimizer": "adamw",
                "learning_rate": 0.02,
                "epochs": 12,
                "threads": 1,
                "device": "cpu",
            },
        }
    )
    data, _ = load_data(config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INNERMOST_CACHE", str(folder / "cache"))
        for _ in run(config, data, 1, folder / "run"):
            pass
    return folder / "run" / "model"


def test_a_trained_model_finds_the_same_without_torch(trained: Path, tmp_path: Path) -> None:
    built, _ = load_trained(trained)
    sentences = sorted(toy_sentences(), key=lambda s: -len(s.tokens))
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setenv("INNERMOST_CACHE", str(tmp_path))
        items = built.features.prepare(sentences)
        emissions = built.model.eval()(built.features.collate(items)).numpy()
    lengths = np.array([len(s.tokens) for s in sentences])
    expected = [{found[:3] for found in spans} for spans in crf.decode(emissions, lengths)]
    nlp = load(trained)
    documents = nlp.predict_tokens([s.tokens for s in sentences])
    numbers = {label: number for number, label in enumerate(nlp.types)}
    for document, spans in zip(documents, expected, strict=True):
        own = {(e.token_start, e.token_end, numbers[e.label]) for e in document.entities}
        assert own == spans
    assert sum(map(len, expected)) > 40


def test_exported_models_stand_alone(trained: Path, tmp_path: Path) -> None:
    text = [s.tokens for s in toy_sentences()]
    expected = [len(d.entities) for d in load(trained).predict_tokens(text)]
    plain = export(trained, tmp_path / "plain")
    small = export(trained, tmp_path / "small", int8=True)
    assert not list(plain.rglob("*.safetensors"))
    assert [len(d.entities) for d in load(plain).predict_tokens(text)] == expected
    agreeing = sum(
        len(d.entities) == n
        for d, n in zip(load(small).predict_tokens(text), expected, strict=True)
    )
    assert agreeing > 0.8 * len(text)


def test_the_export_command_tells_the_size_of_every_file(trained: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from innermost.cli.app import app

    command = ["export", str(trained), str(tmp_path / "out"), "--json"]
    output = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    there = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sum(path.suffix == ".onnx" for path in map(Path, output["files"])) == 3
    assert output["bytes"] == sum(path.stat().st_size for path in there)


@pytest.mark.parametrize("damage", ["forward.onnx", "chars.json", "folder"])
def test_what_is_missing_is_named(trained: Path, tmp_path: Path, damage: str) -> None:
    import shutil

    folder = export(trained, tmp_path / "model")
    if damage == "folder":
        shutil.rmtree(folder / "flair")
    else:
        (folder / "flair" / "0" / damage).unlink()
    with pytest.raises(ModelError, match="flair" if damage == "folder" else damage):
        load(folder)


def test_very_long_sentences_go_through(tmp_path: Path) -> None:
    _write_graph(tmp_path / "flair" / "0", _language_model("forward"))
    features = FlairFeatures(tmp_path, OPEN)
    words = ["mayor"] * 5000 + ["x" * 5000]
    found = features([words])
    assert found.shape == (5001, 1, 16)
    assert np.isfinite(found).all()
