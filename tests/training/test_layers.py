"""Layers of annotation: named in the settings, never guessed from a slash in a label."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch")

import innermost
from helpers.small_training import SMALL
from helpers.toy_corpus import toy_sentences
from innermost.corpus import Sentence
from innermost.errors import ConfigError
from innermost.evaluation import Evaluation
from innermost.nest import Span
from innermost.training.data.dataset import Split
from innermost.training.experiment import load_experiment
from innermost.training.settings.config import Settings

PERSON = "name/person"


def sentences() -> list[Sentence]:
    """Those of the toy corpus, with a slash in one of the three labels."""
    return [
        replace(
            sentence,
            entities=[
                Span(e.start, e.end, PERSON if e.label == "PERSON" else e.label)
                for e in sentence.entities
            ],
        )
        for sentence in toy_sentences()
    ]


def layers(model: Settings, start: str | None = None) -> list[str]:
    split = Split("data", sentences(), "f")
    settings: Settings = {"preset": "paper", "model": model, "start": {"model": start}}
    return load_experiment(settings, {"train": split, "dev": split}).config.model.layers


@pytest.mark.filterwarnings("ignore::innermost.errors.InnermostWarning")
def test_a_type_with_a_slash_is_found_like_any_other(tmp_path: Path) -> None:
    data = sentences()
    settings: Settings = {}
    for key, value in {**SMALL, "training.epochs": 16}.items():
        section, name = key.split(".")
        settings.setdefault(section, {})[name] = value
    result = innermost.train(data, data, out=tmp_path / "run", preset="paper", settings=settings)
    model = innermost.load(tmp_path / "run")
    assert model.types == ["ORG", "PLACE", PERSON]
    evaluation = Evaluation()
    for sentence, spans in zip(data, model.predict_sentences(data), strict=True):
        evaluation.add(sentence.entities, spans)
    assert evaluation.types[PERSON].f1 > 0.5
    assert evaluation.micro.f1 == pytest.approx(result.scores["micro"]["f1"], abs=0.02)


def test_only_layers_that_are_named_are_layers() -> None:
    assert layers({}) == []
    assert layers({"layers": ["name"]}) == ["name"]


def test_a_layer_without_types_is_refused() -> None:
    with pytest.raises(ConfigError, match="no type of the training data begins with names/"):
        layers({"layers": ["names"]})


def test_the_default_layer_must_have_types() -> None:
    split = Split("data", [Sentence(["Lyon"], [Span(0, 1, "name/place")])], "f")
    settings: Settings = {"preset": "paper", "model": {"layers": ["name"]}}
    with pytest.raises(ConfigError, match="the default layer would be empty"):
        load_experiment(settings, {"train": split, "dev": split})


def test_layers_of_the_start_are_kept_if_the_data_has_them() -> None:
    assert layers({}, "english") == []
    joint = [replace(s, entities=[*s.entities, Span(0, 1, "mentions/person")]) for s in sentences()]
    split = Split("data", joint, "f")
    settings: Settings = {"preset": "paper", "start": {"model": "english"}}
    experiment = load_experiment(settings, {"train": split, "dev": split})
    assert experiment.config.model.layers == ["mentions"]
