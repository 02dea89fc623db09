"""Fixtures shared by several areas: a tiny model, trained in a few seconds."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers.toy_corpus import toy_sentences
from innermost import corpus, load
from innermost.runtime.model import Model

# INNERMOST_FUZZ=100000 pytest tests/model_folder -k fuzz: that many damaged inputs.
# The time of an example depends on the machine more than on the code.
settings.register_profile(
    "innermost",
    deadline=None,
    max_examples=int(os.environ.get("INNERMOST_FUZZ", "100")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("innermost")

# Modules about training and its parts are collected only where torch is installed. A test that
# needs another package, or torch only for its model, skips itself by `pytest.importorskip`.
if find_spec("torch") is None:
    collect_ignore_glob = [
        "cli/test_pretrain.py",
        "cli/test_reproduce.py",
        "cli/test_train.py",
        "crf/test_loss.py",
        "crf/test_partition.py",
        "crf/test_soft_targets.py",
        "export/test_folder.py",
        "graphs/test_encoder_weights.py",
        "network/*",
        "parts/flair/*",
        "parts/wordchar/test_module.py",
        "pretraining/*",
        "training/test_api.py",
        "training/test_auto.py",
        "training/test_averaging.py",
        "training/test_batching.py",
        "training/test_cross_validation.py",
        "training/test_kept_types.py",
        "training/test_learning*.py",
        "training/test_partial_annotation.py",
        "training/test_several_processes.py",
        "training/test_splitting.py",
        "training/test_start.py",
        "training/test_teachers.py",
    ]


@pytest.fixture(scope="session")
def random_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights, exported."""
    pytest.importorskip("torch", reason="the models of these tests are made with torch")
    from helpers.model_folders import write_random_model
    from innermost.export.folder import export

    return export(write_random_model(tmp_path_factory.mktemp("random")))


@pytest.fixture(scope="session")
def random_model(random_folder: Path) -> Model:
    return load(random_folder, threads=1)


@pytest.fixture(scope="session")
def toy(toy_model: Path) -> Model:
    return load(toy_model, threads=1)


@pytest.fixture(scope="session")
def toy_corpus_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("toy") / "toy.jsonl"
    corpus.write(toy_sentences(), path, format="native")
    return path


@pytest.fixture(scope="session")
def toy_model(toy_corpus_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that has memorized the toy corpus."""
    pytest.importorskip("torch", reason="training needs torch")
    from helpers.trained_models import load_data
    from innermost.training.run import run
    from innermost.training.settings.config import build_config

    config = build_config(
        {
            "data": {
                "train": str(toy_corpus_file),
                "dev": str(toy_corpus_file),
                "tokenizer": "whitespace",
            },
            "encoder": {
                "word_dimension": 16,
                "character_dimension": 8,
                "character_filters": 12,
                "hidden": 16,
                "word_dropout": 0.0,
                "dropout": 0.0,
                "recurrent_dropout": 0.0,
            },
            "training": {
                "optimizer": "adamw",
                "learning_rate": 0.02,
                "epochs": 40,
                "patience": 10,
                "batch_tokens": 200,
                "threads": 1,
                "device": "cpu",
            },
        }
    )
    data, _ = load_data(config)
    folder = tmp_path_factory.mktemp("toy-run")
    for _ in run(config, data, 1, folder):
        pass
    return folder / "model"
