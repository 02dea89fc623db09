"""Files that annotate only some of the types."""

import json

import pytest
import torch

from helpers.cli import innermost
from helpers.small_training import SMALL, arguments
from helpers.toy_corpus import toy_sentences
from helpers.trained_models import load_data
from innermost import corpus
from innermost.cli.shared.training_display import annotated_types
from innermost.errors import ConfigError, DataError
from innermost.training.build import build
from innermost.training.data.dataset import Coverage, Split, prepare
from innermost.training.data.inputs import Data
from innermost.training.loop import TrainingState, batch_loss
from innermost.training.settings.config import build_config

CPU = torch.device("cpu")


def only(labels, sentences):
    """Sentences with only ``labels`` annotated."""
    return [
        corpus.Sentence(s.tokens, [e for e in s.entities if e.label in labels]) for s in sentences
    ]


@pytest.fixture
def parts(tmp_path):
    """The toy corpus in halves: places are annotated in one, the rest in the other."""
    sentences = toy_sentences()
    places, rest = tmp_path / "places.jsonl", tmp_path / "rest.jsonl"
    corpus.write(only(["PLACE"], sentences[:24]), places)
    corpus.write(only(["ORG", "PERSON"], sentences[24:]), rest)
    return places, rest


def configured(train, dev, **sections):
    return build_config(
        {
            "data": {"train": train, "dev": dev},
            "encoder": {"hidden": SMALL["encoder.hidden"], "word_dimension": 8},
            "training": {"device": "cpu", "batch_tokens": 100} | sections,
        }
    )


def file(path, *labels):
    return {"path": str(path), "annotates": list(labels)} if labels else str(path)


def test_the_gradient_of_the_head_of_an_unannotated_type_is_exactly_zero(parts):
    config = configured([file(parts[0], "PLACE"), file(parts[1], "ORG", "PERSON")], str(parts[0]))
    data, _ = load_data(config)
    assert data.types == ["ORG", "PERSON", "PLACE"]
    torch.manual_seed(1)
    built = build(config.encoder, data.train.sentences, len(data.types), data.sources, CPU)
    state = TrainingState(built.model, config)
    prepared = prepare(data.train, built.features, data.types)
    # Sentences of the first file: only places are known there.
    batch = sorted(range(8), key=lambda i: -prepared.lengths[i])
    batch_loss(state, prepared, built.features, batch, CPU).backward()
    gradient = built.model.emit.weight.grad.view(3, 5, -1)
    assert (gradient[:2] == 0).all()
    assert (built.model.emit.bias.grad.view(3, 5)[:2] == 0).all()
    assert (gradient[2] != 0).any()


def test_a_type_that_is_declared_but_absent_is_annotated_and_absent(parts):
    config = configured([file(parts[0], "PLACE", "ORG")], str(parts[0]))
    data, warnings = load_data(config)
    assert data.types == ["ORG", "PLACE"]
    (target, *_) = [t for t in prepare_targets(config, data) if t.annotated.all()]
    assert (target.outer[0] == 4).all()
    assert any("'ORG' is annotated but never occurs" in warning for warning in warnings)


def test_a_typo_in_what_development_data_annotates_is_named(parts):
    config = configured([file(parts[0], "PLACE")], file(parts[0], "PLACE", "PLACES"))
    _, warnings = load_data(config)
    assert any("'PLACES'" in w and "did you mean 'PLACE'?" in w for w in warnings)


def prepare_targets(config, data):
    built = build(config.encoder, data.train.sentences, len(data.types), data.sources, CPU)
    return prepare(data.train, built.features, data.types).targets


def test_files_without_annotates_are_joined_and_know_each_others_types(parts):
    data, _ = load_data(configured([str(p) for p in parts], str(parts[0])))
    assert len(data.train.sentences) == 48
    assert set(data.train.annotated()) == {None}


def test_a_file_without_annotates_knows_nothing_of_the_types_of_a_file_with(parts):
    config = configured([file(parts[0]), file(parts[1], "ORG")], [str(parts[0])])
    data, warnings = load_data(config)
    assert data.types == ["ORG", "PLACE"]
    assert [f.annotates for f in data.train.files] == [{"PLACE"}, {"ORG"}]
    assert [f.annotates for f in data.dev.files] == [{"PLACE"}]
    assert any("of types that it does not annotate: not used" in warning for warning in warnings)


def test_an_empty_list_of_types_is_refused(parts):
    with pytest.raises(ConfigError, match="names no type"):
        load_data(configured([{"path": str(parts[0]), "annotates": []}], str(parts[0])))


def test_two_files_with_different_types_make_one_model_that_knows_both(
    parts, toy_corpus_file, tmp_path
):
    places, rest = parts
    out = tmp_path / "out"
    settings = {
        "training__optimizer": "adamw",
        "training__learning_rate": 0.02,
        "training__epochs": 25,
        "encoder__hidden": 16,
        "encoder__word_dropout": 0,
        "encoder__dropout": 0,
        "encoder__recurrent_dropout": 0,
    }
    done = innermost(
        "train",
        *("--train", places, "--annotates", "PLACE"),
        *("--train", rest, "--annotates", "ORG,PERSON"),
        *("--dev", places, "--annotates", "PLACE"),
        *("--dev", rest, "--annotates", "ORG, PERSON"),
        *("--test", toy_corpus_file),
        *("--out", out, *arguments(**settings)),
    )
    assert done.code == 0, done.err
    assert f"{places} annotates PLACE; unknown in it: ORG, PERSON" in done.err
    assert f"{toy_corpus_file} annotates all types\n" in done.err
    result = json.loads((out / "result.json").read_text())
    # All the places of the second file are found, though nobody ever annotated them there.
    assert result["test"]["micro"]["f1"] > 0.95
    # And they are not false positives in its half of the development data.
    assert result["dev"]["micro"]["precision"] > 0.95


def test_annotates_must_follow_a_file(parts, tmp_path):
    done = innermost("train", "--annotates", "PLACE", "--train", parts[0], "--out", tmp_path / "o")
    assert done.code == 2
    assert "does not follow a file" in done.err


def test_a_share_annotates_what_the_training_file_does(parts, tmp_path):
    data = ("--train", parts[0], "--dev", "0.25", "--annotates", "PLACE")
    done = innermost("train", *data, "--out", tmp_path / "o")
    assert done.code == 2
    assert "error: --annotates after --dev 0.25\n  put it after the --train file" in done.err


def test_files_without_the_types_of_others_are_doubtful(parts):
    def doubts(*train):
        return [w for w in load_data(configured(list(train), str(parts[0])))[1] if "unlike" in w]

    places, rest = parts
    (of_places, of_rest) = doubts(str(places), str(rest))
    assert of_places.startswith(f"{places}: no ORG, PERSON, unlike other training files: if nobody")
    assert of_rest.startswith(f"{rest}: no PLACE, unlike")
    assert not doubts(str(places))
    assert not doubts(file(places, "PLACE"), file(rest, "ORG", "PERSON"))


def test_types_that_are_misspelt_everywhere_are_named(parts):
    places, _ = parts
    for typo in ("PLAC", "place"):
        config = configured([file(places, typo)], str(places))
        with pytest.raises(ConfigError, match=f"'{typo}', which occurs in no file") as caught:
            load_data(config)
        assert caught.value.hint == "did you mean 'PLACE'?"
    config = configured([file(places, "TOWN")], str(places))
    with pytest.raises(DataError, match="no entities of the types that --annotates names, but"):
        load_data(config)


def test_development_data_is_the_training_data_whatever_it_annotates(toy_corpus_file):
    config = configured([file(toy_corpus_file, "PLACE")], file(toy_corpus_file, "ORG", "PLACE"))
    _, warnings = load_data(config)
    assert "the train and dev data are the same sentences: scores are meaningless" in warnings


def test_one_misspelt_type_among_others_is_an_error(parts, toy_corpus_file, tmp_path):
    done = innermost(
        *("train", "--train", toy_corpus_file, "--annotates", "PERSN,PLACE", "--dev", parts[0]),
        *("--out", tmp_path / "out"),
    )
    assert done.code == 2
    assert "'PERSN', which occurs in no file\n  did you mean 'PERSON'?" in done.err


def test_a_type_that_is_absent_is_no_typo_of_one_that_is_listed_too(parts):
    config = configured([file(parts[1], "ORG", "ORGS", "PERSON")], str(parts[1]))
    _, warnings = load_data(config)
    (warning,) = (warning for warning in warnings if "'ORGS'" in warning)
    assert warning.endswith("never occurs: the model learns that there are none")


@pytest.mark.parametrize(
    ("types", "unknown"), [("ABCDEF", "B, C, D, E, F"), ("ABCDEFG", "the 6 others")]
)
def test_many_types_that_a_file_does_not_annotate_are_not_listed(types, unknown):
    file = Coverage("a", 1, frozenset("A"))
    data = Data(Split("a", [corpus.Sentence(["x"])], "f", (file,)), None, None, list(types), {})
    assert annotated_types(data) == [("a", f"A; unknown in it: {unknown}")]
