"""Starting from a model: what is taken over, and what stays as it was."""

import shutil
from dataclasses import replace

import msgspec
import numpy as np
import pytest
import torch

from helpers.cli import ok
from helpers.small_training import SMALL, arguments
from helpers.tiny_transformer import write_tiny_bert
from helpers.toy_corpus import bracketed, toy_sentences
from helpers.trained_models import load_trained
from innermost import corpus, crf
from innermost.errors import CheckpointError, ConfigError, ModelError
from innermost.model_folder.info import read_info, write_info
from innermost.model_folder.installed import locate
from innermost.nest import Span
from innermost.parts.settings import read_encoder
from innermost.training.data.dataset import Coverage, Split
from innermost.training.data.inputs import Data
from innermost.training.events import Finished
from innermost.training.experiment import load_experiment
from innermost.training.records.languages import model_languages
from innermost.training.run import run
from innermost.training.settings.config import build_config, load_settings
from innermost.training.start import Start, build_from, fitting_heads, read_start

CPU = torch.device("cpu")


ENGLISH = "the mayor of the old town has said that they will come to the house"
GERMAN = "die Oberbürgermeisterin hat gestern verkündet dass sie zurücktreten möchte"


def settings_of(new_data, model, *more):
    small = {k: v for k, v in SMALL.items() if k.startswith("training.")}
    overrides = [*(f"{k}={v}" for k, v in small.items()), f"start.model={model}", *more]
    values = {"preset": "paper", "data": {"train": str(new_data), "dev": str(new_data)}}
    return load_settings(None, overrides, values=values)


def built_from(start, sentences, types, **options):
    heads = {label: label for label in types if label in start.info.types}
    return build_from(start, start.encoder, sentences, types, CPU, heads=heads, **options)


def emissions(built, sentences):
    items = built.features.prepare(sentences)
    order = sorted(range(len(items)), key=lambda i: -items[i].length)
    batch = built.features.collate([items[i] for i in order])
    built.model.eval()
    with torch.no_grad():
        batch_emissions = built.model(batch)
    return {i: batch_emissions[row, :, : items[i].length] for row, i in enumerate(order)}


def test_from_the_folder_of_a_run_all_weights_come_back_exactly(toy_model):
    start = read_start(str(toy_model))
    trained, info = load_trained(toy_model)
    sentences = toy_sentences()[:6]
    built = built_from(start, sentences, info.types)
    for number, before in emissions(trained, sentences).items():
        torch.testing.assert_close(emissions(built, sentences)[number], before)


def test_a_start_is_identified_by_its_files(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "copy")
    start, copy = read_start(str(exported)), read_start(str(tmp_path / "copy"))
    assert copy.fingerprint == start.fingerprint
    almost = {name: np.nextafter(value, 9) for name, value in copy.weights.items()}
    assert replace(copy, weights=almost).fingerprint == start.fingerprint
    characters = np.load(tmp_path / "copy" / "characters.npy")
    np.save(tmp_path / "copy" / "characters.npy", characters + 1)
    assert copy.fingerprint != start.fingerprint


def test_a_finished_run_is_not_resumed_from_another_model(new_data, toy_model, exported, tmp_path):
    def finish(model):
        experiment = load_experiment(settings_of(new_data, model, "training.epochs=1"))
        list(run(experiment.config, experiment.data, 1, tmp_path / "run", resume=True))

    finish(toy_model)
    shutil.copytree(toy_model, tmp_path / "copy")
    finish(tmp_path / "copy")  # the same model
    with pytest.raises(CheckpointError, match=r"start\.model was .*, is .*toy"):
        finish(exported)


def test_from_an_exported_folder_they_come_back_as_they_were_rounded(toy_model, exported):
    sentences = toy_sentences()
    start = read_start(str(exported))
    built = built_from(start, sentences, start.info.types)
    exact = emissions(load_trained(toy_model)[0], sentences)
    restored = emissions(built, sentences)
    error = max(float((restored[n] - exact[n]).abs().max()) for n in exact)
    scale = max(float(values.abs().max()) for values in exact.values())
    assert 0 < error < 0.1 * scale


def test_a_shipped_model_finds_the_same_entities_in_torch_as_in_its_exported_form():
    sentences = [
        corpus.Sentence(text.split())
        for text in (
            "The Bank of England raised rates on Monday , said Mary Smith of Toyota .",
            "She studied at the University of California in Berkeley .",
            "Prague is the capital of the Czech Republic .",
            "nothing to see here",
        )
    ]
    start = read_start("english")
    built = built_from(start, [], start.info.types)
    expected = [set(spans) for spans in start.predictions(sentences)]
    assert sum(map(len, expected)) >= 5
    for number, values in emissions(built, sentences).items():
        (spans,) = crf.decode(values[None].numpy(), np.array([values.shape[1]]))
        entities = {(first, end, start.info.types[kind]) for first, end, kind, _ in spans}
        assert entities == expected[number]


def test_types_with_the_same_name_keep_their_heads_whatever_their_place(toy_model):
    start = read_start(str(toy_model))
    types = ["DAY", *reversed(start.info.types)]
    built = built_from(start, [], types)
    rows = built.model.emit.weight.detach().view(len(types), 5, -1).numpy()
    before = start.weights["emit.weight"].reshape(len(start.info.types), 5, -1)
    for number, label in enumerate(types[1:], start=1):
        np.testing.assert_array_equal(rows[number], before[start.info.types.index(label)])


def test_a_type_starts_with_the_head_that_finds_its_entities(toy_model):
    """Places are called TOWN here, and ORG is what the model knows as PERSON."""
    names = {"PLACE": "TOWN", "PERSON": "ORG", "ORG": "DAY"}
    sentences = [
        corpus.Sentence(s.tokens, [Span(a, b, names[label]) for a, b, label in s.entities])
        for s in toy_sentences()
    ]
    start = read_start(str(toy_model))
    heads = fitting_heads(start, Split("s", sentences, "f"))
    assert heads == {"TOWN": "PLACE", "ORG": "PERSON", "DAY": "ORG"}
    built = build_from(start, start.encoder, [], ["DAY", "ORG", "TOWN"], CPU, heads=heads)
    before = start.weights["emit.weight"].reshape(3, 5, -1)  # ORG, PERSON, PLACE
    rows = built.model.emit.weight.detach().view(3, 5, -1).numpy()
    np.testing.assert_array_equal(rows, before)


def test_sentences_that_do_not_annotate_a_type_have_no_say_in_its_head(toy_model):
    """Most sentences have towns, but only the first six say so."""
    start = read_start(str(toy_model))
    annotated = [
        corpus.Sentence(
            s.tokens, [Span(a, b, "TOWN") for a, b, label in s.entities if label == "PLACE"]
        )
        for s in toy_sentences()[:6]
    ]
    others = [corpus.Sentence(s.tokens, [Span(0, 1, "DAY")]) for s in toy_sentences()] * 3
    files = (
        Coverage("a", len(annotated), frozenset({"TOWN"})),
        Coverage("b", len(others), frozenset({"DAY"})),
    )
    heads = fitting_heads(start, Split("s", [*annotated, *others], "f", files))
    assert heads == {"TOWN": "PLACE"}


def test_without_a_fitting_head_it_is_that_of_the_same_name_or_a_new_one(toy_model):
    start = read_start(str(toy_model))
    spans = [Span(0, 1, "PLACE"), Span(0, 1, "DAY")]
    sentences = [corpus.Sentence(s.tokens, spans) for s in toy_sentences()]
    assert fitting_heads(start, Split("s", sentences, "f")) == {"PLACE": "PLACE"}


def test_data_with_exactly_the_types_of_the_model_is_not_compared(toy_model, monkeypatch):
    monkeypatch.delattr(Start, "predictions")
    heads = fitting_heads(read_start(str(toy_model)), Split("s", toy_sentences(), "f"))
    assert heads == {label: label for label in ("ORG", "PERSON", "PLACE")}


def test_predictions_name_the_types_of_every_layer():
    start = read_start("english")
    (spans,) = start.predictions([corpus.Sentence(["The", "mayor", "of", "Prague", "spoke", "."])])
    labels = {span.label for span in spans}
    assert "place" in labels
    assert "mentions/person" in labels


def test_new_words_and_characters_get_weights_and_the_known_ones_keep_theirs(toy_model):
    start = read_start(str(toy_model))
    before, _ = load_trained(toy_model)
    sentences = [bracketed("ßyrup ßyrup in Oslo")]
    built = built_from(start, sentences, start.info.types)
    old, new = before.parts["wordchar"], built.parts["wordchar"]
    assert new.vocabulary.trained == [*old.vocabulary.trained, "ßyrup"]
    assert new.vocabulary.characters == [*old.vocabulary.characters, "ß"]
    known = len(old.vocabulary.trained) + 1
    torch.testing.assert_close(new.module.trained[:known], old.module.trained)
    assert new.module.trained[known].abs().sum() > 0


def test_settings_that_do_not_fit_the_weights_are_refused(toy_model, new_data, tmp_path):
    experiment = load_experiment(settings_of(new_data, toy_model, "encoder.hidden=9"))
    with pytest.raises(ConfigError, match=r"weights of .*: encoder\.hidden was 16, is 9"):
        list(run(experiment.config, experiment.data, 1, tmp_path / "out"))


def test_a_model_that_is_not_there_is_named(new_data):
    with pytest.raises(ModelError, match="no model and no folder 'litbnak'"):
        load_experiment(settings_of(new_data, "litbnak"))


def test_the_choice_of_settings_names_the_model_and_the_types_it_knows(toy_model, new_data):
    values = {"preset": "auto", "data": {"train": str(new_data), "dev": 0.2}}
    experiment = load_experiment({**values, "start": {"model": str(toy_model)}})
    assert f"starting from {toy_model}, which knows PLACE" in experiment.choice


def test_it_starts_where_the_model_was(toy_model, toy_corpus_file, tmp_path):
    """One small step from a model that knows the corpus is a model that knows the corpus."""
    one = ("training.epochs=1", "training.learning_rate=0.0001", "training.average=0")
    experiment = load_experiment(settings_of(toy_corpus_file, toy_model, *one))
    assert experiment.config.data.tokenizer == "whitespace"
    *_, end = run(experiment.config, experiment.data, 1, tmp_path / "out")
    assert isinstance(end, Finished)
    assert end.result["dev"]["micro"]["f1"] == 1.0


def test_the_encoder_learns_at_its_own_rate(toy_model):
    start = read_start(str(toy_model))
    model = built_from(start, [], start.info.types).model
    rates = {id(p): g["rate"] for g in model.parameter_groups(0.1, 0.5) for p in g["params"]}
    named = dict(model.named_parameters())
    assert len(rates) == len(named)
    for name, parameter in named.items():
        assert rates[id(parameter)] == (0.1 if name.startswith("emit.") else 0.05), name
    frozen = built_from(start, [], start.info.types, frozen=True).model
    (group,) = frozen.parameter_groups(0.1, 0.5)
    assert {id(p) for p in group["params"]} == {id(p) for p in frozen.emit.parameters()}


def test_licenses_are_recorded_over_generations(random_folder, new_data, tmp_path):
    words = tmp_path / "words"
    shutil.copytree(random_folder, words)
    write_info(words, msgspec.structs.replace(read_info(words), name="words", license="MIT"))
    vectors = {"name": "words", "version": "", "license": "MIT"}
    data = ("train", "--train", new_data, "--dev", new_data, "--set", "training.threads=1")
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    small = arguments(training__epochs=20)
    ok(*data, "--out", first, *small, "--set", f"encoder.vectors={words}")
    assert read_info(first / "model").training["vectors"] == [vectors]
    ok(*data, "--out", second, "--start-from", first)
    start = {"name": "first", "version": "", "license": "", "vectors": [vectors]}
    assert read_info(second / "model").training["start"] == start
    done = ok(*data, "--out", third, "--start-from", second)
    assert f"starting from {second} (MIT)" in done.err
    card = (third / "model" / "README.md").read_text()
    assert "| started from | second |\n| earlier origins | first; words, license MIT |" in card


@pytest.mark.parametrize("fine_tune", [True, False])
def test_a_model_with_a_transformer_is_a_start_too(toy_corpus_file, tmp_path, fine_tune):
    pytest.importorskip("transformers")
    bert = write_tiny_bert(tmp_path / "bert")
    data = {"train": str(toy_corpus_file), "dev": str(toy_corpus_file), "tokenizer": "whitespace"}
    encoder = {"kind": "transformer", "model": str(bert), "fine_tune": fine_tune, "hidden": 4}
    training = {"epochs": 2, "threads": 1, "device": "cpu", "optimizer": "adamw"}
    first = load_experiment({"data": data, "encoder": encoder, "training": training})
    list(run(first.config, first.data, 1, tmp_path / "first"))
    shutil.rmtree(bert)  # the folder of the run has all that is needed
    start = {"model": str(tmp_path / "first")}
    second = load_experiment({"preset": "auto", "data": data, "start": start, "training": training})
    *_, end = run(second.config, second.data, 1, tmp_path / "second")
    assert isinstance(end, Finished)
    before = load_trained(tmp_path / "first" / "model")[0].model.state_dict()
    after = load_trained(tmp_path / "second" / "model")[0].model.state_dict()
    assert before.keys() == after.keys()


@pytest.mark.parametrize(
    ("model", "text", "settings", "expected"),
    [
        ("english", ENGLISH, {}, ["en"]),
        ("english", GERMAN, {}, []),
        ("english", GERMAN, {"start": {"keep_types": True}}, ["en"]),
        ("english", ENGLISH, {"model": {"languages": ["de"]}}, ["de"]),
        ("multilingual", ENGLISH, {}, []),
    ],
)
def test_languages_are_those_of_the_start_if_the_data_has_them(model, text, settings, expected):
    folder = locate(model)
    start = Start(model, folder, read_info(folder), read_encoder({}), {})
    train = Split("train", [corpus.Sentence(text.split())], "f")
    data = Data(train, None, None, [], {}, start)
    assert model_languages(build_config(settings), data) == expected
