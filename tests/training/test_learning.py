"""Training learns, and each part of the objective has its effect."""

import msgspec
import pytest

from helpers.small_training import SMALL
from helpers.trained_models import load_data
from innermost.corpus import Sentence
from innermost.nest import Span
from innermost.training.data.dataset import Split
from innermost.training.events import EpochScored, Finished
from innermost.training.loop import EpochEnd
from innermost.training.plan import summarize
from innermost.training.records.history import History
from innermost.training.records.result import nothing_found
from innermost.training.run import run
from innermost.training.settings.config import load_config


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


def test_early_stopping_counts_evaluations(toy_corpus_file, tmp_path):
    patience = {"training__patience": 3, "training__evaluate_every": 2, "training__epochs": 60}
    result = result_of(toy_corpus_file, tmp_path, **patience)
    assert result["stopped"] == "patience"
    assert result["epochs"] == result["best_epoch"] + 6
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == result["epochs"] / 2


def test_patience_starts_when_something_is_found(tmp_path):
    history = History(tmp_path / "log.jsonl")
    for epoch, f1 in enumerate([0, 0, 0, 0, 0.2, 0.1], start=1):
        assert not history.stale(2)
        history.add(EpochEnd(epoch, 1.0, 1.0), {"f1": f1}, 0.0)
        assert history.best["epoch"] == min(epoch, 5)
    history.add(EpochEnd(7, 1.0, 1.0), {"f1": 0.2}, 0.0)
    assert history.stale(2)


def test_a_model_that_finds_nothing_right_is_no_success():
    def result(predicted, correct):
        micro = {"predicted": predicted, "correct": correct}
        return {"seed": 1, "epochs": 9, "dev": {"micro": micro}}

    assert nothing_found(result(5, 1)) is None
    assert "finds nothing in the development data" in str(nothing_found(result(0, 0)))
    assert "5 entities, none correct" in str(nothing_found(result(5, 0)))


@pytest.mark.parametrize(
    ("label", "batch", "cause"),
    [
        ("Y", 1, "the training data has no entity of the types of the development data (Y)"),
        ("X", 100, "9 steps of training are probably too few"),
        ("X", 1, "train for more epochs"),
        ("Z", 1, "train for more epochs"),
    ],
)
def test_the_likely_cause_of_a_model_that_finds_nothing_comes_first(label, batch, cause):
    sentences = [Sentence(["a"], [Span(0, 1, "X")])] * 20
    dev = {"micro": {"predicted": 0, "correct": 0}, "types": {label: {"gold": 3}, "Z": {"gold": 0}}}
    settings = {"training": {"batch_tokens": batch}}
    result = {"seed": 1, "epochs": 9, "dev": dev, "settings": settings}
    error = nothing_found(result, Split("train", sentences, "f"))
    assert error.hint.startswith(cause)


def test_bfloat16_runs(toy_corpus_file, tmp_path):
    result = result_of(toy_corpus_file, tmp_path, training__precision="bfloat16")
    assert result["test"]["micro"]["f1"] > 0.9


def test_mean_and_deviation_over_seeds():
    runs = [
        {"seed": s, "test": {"micro": {"precision": p, "recall": 0.5, "f1": f}, "levels": {}}}
        for s, p, f in ((1, 0.4, 0.6), (2, 0.6, 0.8))
    ]
    summary = summarize(runs, "test")
    # The deviation of a sample: the two are 0.1 from their mean, and n - 1 is 1.
    assert summary["precision"] == pytest.approx((0.5, 0.02**0.5))
    assert summary["recall"] == pytest.approx((0.5, 0.0))
    assert summary["f1"] == pytest.approx((0.7, 0.02**0.5))
    assert summarize(runs[:1], "test")["f1"] == (0.6, 0.0)
