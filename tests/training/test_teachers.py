"""Distillation: a model learns the probabilities of others."""

import json

import pytest

from helpers.cli import innermost
from helpers.small_training import arguments
from helpers.toy_corpus import toy_sentences
from innermost import Sentence, corpus, load, train
from innermost.errors import ConfigError
from innermost.model_folder.info import read_info
from innermost.nest import Span
from innermost.training import teachers
from innermost.training.events import TeacherRead

LEARNING = arguments(training__epochs=40, training__learning_rate=0.03, encoder__hidden=16)

TRUSTING = ("--set", "teachers.trust=1")


@pytest.fixture
def bare(tmp_path):
    """The toy corpus with the annotation of two sentences only."""
    path = tmp_path / "bare.jsonl"
    kept = [s if n < 4 else Sentence(s.tokens) for n, s in enumerate(toy_sentences())]
    corpus.write(kept, path)
    return path


def f1(model, sentences):
    predicted = load(model).predict_sentences([Sentence(s.tokens) for s in sentences])
    gold = {(n, e) for n, s in enumerate(sentences) for e in s.entities}
    found = {(n, Span(e.start, e.end, e.label)) for n, own in enumerate(predicted) for e in own}
    return 2 * len(gold & found) / max(len(gold) + len(found), 1)


def train_on(data, out, *more):
    done = innermost(
        *("train", "--train", data, "--dev", data, "--out", out, *LEARNING, *map(str, more))
    )
    assert done.code == 0, done.err
    return done


def test_a_model_learns_what_its_teacher_knows_and_its_data_do_not_say(bare, toy_model, tmp_path):
    train_on(bare, tmp_path / "alone")
    done = train_on(bare, tmp_path / "taught", "--teacher", toy_model, *TRUSTING)
    assert f"teacher {toy_model}: F1 " in done.err
    toys = toy_sentences()
    outer = [Sentence(s.tokens, [e for e in s.entities if not inside_its_type(e, s)]) for s in toys]
    assert f1(tmp_path / "alone", outer) < 0.4
    assert f1(tmp_path / "taught", outer) > 0.8


def inside_its_type(entity, sentence):
    return any(
        other != entity
        and other.label == entity.label
        and other.start <= entity.start
        and entity.end <= other.end
        for other in sentence.entities
    )


def test_the_teacher_is_in_the_card_and_the_result_without_its_path(bare, toy_model, tmp_path):
    train_on(
        bare, tmp_path / "taught", "--teacher", toy_model, *TRUSTING, "--set", "training.epochs=1"
    )
    card = (tmp_path / "taught" / "model" / "README.md").read_text()
    assert f'[teachers]\nmodels = [\n    "{toy_model.name}",\n]' in card
    assert str(toy_model.parent) not in card
    info = read_info(tmp_path / "taught" / "model")
    assert info.training["teachers"] == [{"name": "toy-run0", "version": "", "license": ""}]
    assert "| learned from | toy-run0 |" in card
    settings = json.loads((tmp_path / "taught" / "result.json").read_text())["settings"]
    assert len(settings["teachers"]["fingerprints"]) == 1


def test_a_run_resumes_only_with_the_same_teachers(bare, toy_model, tmp_path):
    once = ("--set", "training.epochs=1", *TRUSTING)
    train_on(bare, tmp_path / "run", "--teacher", toy_model, *once)
    arguments_ = ("train", "--train", bare, "--dev", bare, "--out", tmp_path / "run", "--resume")
    done = innermost(*arguments_, *LEARNING, *once)
    assert done.code == 1
    assert "contains a finished run with other settings: teachers.fingerprints was" in done.err


def test_teachers_read_the_data_once_for_all_seeds(bare, toy_model, tmp_path, monkeypatch):
    from innermost.training.experiment import load_experiment
    from innermost.training.plan import perform, planned
    from innermost.training.settings.config import load_settings

    read = []
    original = teachers._emissions

    def counted(*arguments_):
        read.append(1)
        return original(*arguments_)

    monkeypatch.setattr(teachers, "_emissions", counted)
    sets = [value for value in LEARNING[2:] if value != "--set"]
    values = {
        "data": {"train": str(bare), "dev": str(bare)},
        "teachers": {"models": [str(toy_model), str(toy_model)]},
        "training": {"seeds": [1, 2], "epochs": 1},
    }
    experiment = load_experiment(load_settings(None, sets, values=values))
    for _ in perform(planned(experiment.config, tmp_path), experiment.config, experiment.data):
        pass
    assert len(read) == 2


def test_the_mean_of_equal_teachers_is_one_of_them(bare, toy_model, tmp_path):
    for name, number in (("one", 1), ("three", 3)):
        more = ["--teacher", toy_model] * number + [*TRUSTING]
        train_on(bare, tmp_path / name, *more, "--set", "training.epochs=2")
    losses = [
        json.loads((tmp_path / name / "log.jsonl").read_text().splitlines()[-1])["loss"]
        for name in ("one", "three")
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def test_a_teacher_without_a_type_of_the_data_is_refused(toy_model, new_data, tmp_path):
    with pytest.raises(ConfigError, match="does not know DAY; its types are ORG, PERSON, PLACE"):
        train(new_data, new_data, out=tmp_path / "run", teachers=[toy_model], preset="paper")


def test_a_teacher_that_contradicts_the_annotation_is_reported(toy_model, tmp_path):
    other = tmp_path / "other.jsonl"
    names = {"PERSON": "PLACE", "PLACE": "ORG", "ORG": "PERSON"}
    swapped = [
        Sentence(s.tokens, [Span(e.start, e.end, names[e.label]) for e in s.entities])
        for s in toy_sentences()
    ]
    corpus.write(swapped, other)
    done = train_on(other, tmp_path / "run", "--teacher", toy_model, "--set", "training.epochs=9")
    assert f"warning: the teacher {toy_model} contradicts the annotation (F1 " in done.err
    assert "50% of what is learned comes from the teachers" in done.err


def test_a_teacher_that_agrees_is_not_doubted():
    assert TeacherRead("runs/large", 0.8, trust=1.0).doubt is None
    assert "100% of what is learned" in str(TeacherRead("runs/large", 0.3, trust=1.0).doubt)


def test_data_to_score_on_that_a_teacher_may_know_is_reported(bare, toy_model, tmp_path):
    done = innermost(
        *("train", "--train", bare, "--folds", "2", "--out", tmp_path / "folds", *LEARNING),
        *("--teacher", toy_model, "--set", "training.epochs=1"),
    )
    assert "the teachers may know the held-out folds" in done.err
    alone = train_on(bare, tmp_path / "first", "--set", "training.epochs=30")
    assert "scores on it are too high" not in alone.err
    done = train_on(bare, tmp_path / "second", "--teacher", tmp_path / "first")
    assert f"--teacher {tmp_path / 'first'} was trained on {bare}" in done.err


@pytest.mark.parametrize(
    ("name", "hint"),
    [("runs/nowhere", "installed: english"), ("genia,litbank", "repeat --teacher for each model")],
)
def test_a_teacher_that_does_not_exist_is_named(bare, tmp_path, name, hint):
    data = ("--train", bare, "--dev", bare, "--out", tmp_path / "run")
    done = innermost("train", *data, "--teacher", name)
    assert done.code == 1
    assert f"--teacher {name}: no model and no folder '{name}'" in done.err
    assert hint in done.err
