"""That training learns, and what each part of the objective is for."""

import msgspec
import pytest

from innermost.training.config import load_config
from innermost.training.experiment import load_data, summarize
from innermost.training.run import EpochScored, Finished, run

from .small import SMALL


def result_of(path, folder, **changes):
    settings = SMALL | {
        "training.optimizer": "adamw",
        "training.learning_rate": 0.02,
        "training.epochs": 30,
        "encoder.hidden": 16,
        "encoder.word_dropout": 0,
        "encoder.dropout": 0,
        "encoder.recurrent_dropout": 0,
    }
    settings |= {k.replace("__", "."): v for k, v in changes.items()}
    config = load_config(None, [f"{k}={v}" for k, v in settings.items()])
    data_config = msgspec.structs.replace(
        config.data, train=str(path), dev=str(path), test=str(path)
    )
    config = msgspec.structs.replace(config, data=data_config)
    data, _ = load_data(config)
    events = list(run(config, data, 1, folder))
    assert isinstance(events[-1], Finished)
    assert any(isinstance(e, EpochScored) for e in events)
    return events[-1].result


def test_the_nested_entities_of_a_small_corpus_are_learned(toy_corpus_file, tmp_path):
    result = result_of(toy_corpus_file, tmp_path)
    assert result["test"]["micro"]["f1"] > 0.98
    assert result["test"]["levels"]["gold"]["2"]["recall"] > 0.9


def test_without_nested_decoding_the_inner_entities_are_missed(toy_corpus_file, tmp_path):
    result = result_of(toy_corpus_file, tmp_path, objective__inner="false", objective__max_depth=1)
    assert result["test"]["levels"]["gold"]["2"]["recall"] == 0
    assert result["test"]["levels"]["gold"]["1"]["recall"] > 0.9


def test_early_stopping(toy_corpus_file, tmp_path):
    result = result_of(toy_corpus_file, tmp_path, training__learning_rate=0, training__patience=3)
    assert result["epochs"] == result["best_epoch"] + 3


def test_bfloat16_runs(toy_corpus_file, tmp_path):
    result = result_of(toy_corpus_file, tmp_path, training__precision="bfloat16")
    assert result["test"]["micro"]["f1"] > 0.9


def test_mean_and_deviation_over_seeds():
    runs = [
        {"seed": s, "test": {"micro": {"precision": p, "recall": 0.5, "f1": f}, "levels": {}}}
        for s, p, f in ((1, 0.4, 0.6), (2, 0.6, 0.8))
    ]
    summary = summarize(runs, "test")
    assert summary["precision"] == pytest.approx((0.5, 0.1))
    assert summary["recall"] == pytest.approx((0.5, 0.0))
    assert summary["f1"] == pytest.approx((0.7, 0.1))
