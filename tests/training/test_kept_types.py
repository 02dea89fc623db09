"""Add types to a model that keeps its own."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from helpers.cli import innermost, ok
from helpers.toy_corpus import toy_sentences
from innermost import corpus, load
from innermost.errors import ConfigError
from innermost.model_folder.contents import WEIGHTS
from innermost.model_folder.info import ModelInfo, write_info
from innermost.model_folder.installed import folder_name
from innermost.model_folder.manifest import write_manifest
from innermost.nest import Span
from innermost.parts.wordchar.files import read_vocabulary
from innermost.training.data.dataset import Coverage, Split
from innermost.training.data.warnings import absent_types
from innermost.training.experiment import load_experiment
from innermost.training.kept_types import add_types, with_predictions
from innermost.training.start import read_start


def predicted(folder, sentences):
    return list(load(folder).predict_sentences(sentences))


@pytest.mark.parametrize("kind", ["toy_model", "exported"])
def test_a_type_is_added_and_the_others_stay_the_same_bit_for_bit(
    kind, request, new_data, tmp_path
):
    model = request.getfixturevalue(kind)
    out = tmp_path / "out"
    # The first epochs are the best: the frozen toy encoder knows little of days.
    sizes = ("--set", "training.epochs=20", "--set", "training.evaluate_every=1")
    sizes += ("--set", "training.threads=1")
    done = innermost(
        *("train", "--train", new_data, "--dev", new_data, "--out", out),
        *("--start-from", model, "--keep-types", *sizes),
    )
    assert done.code == 0, done.err
    assert "entities of types that" in done.err  # the places of the new data are not used
    after = load(out / "model")
    assert after.types == [*load(model).types, "DAY"]
    sentences = [*toy_sentences(), *corpus.read(new_data)]
    old, new = predicted(model, sentences), predicted(out / "model", sentences)
    assert [[s for s in spans if s.label != "DAY"] for spans in new] == old
    days = {
        s.tokens[span.start]
        for s, spans in zip(sentences, new, strict=True)
        for span in spans
        if span.label == "DAY"
    }
    assert {"Monday", "Friday"} <= days
    result = json.loads((out / "result.json").read_text())
    assert list(result["dev"]["types"]) == ["DAY"]
    assert after.info.scores["dev"]["types"] == ["DAY"]
    assert f"scores: dev F1 {100 * result['dev']['micro']['f1']:.2f} (DAY only)\n" in (
        ok("models", out).out
    )
    assert not (out / "added").exists()
    card = (out / "model" / "README.md").read_text()
    assert f"| started from | {folder_name(model)} |" in card
    assert f": seed 1, epoch {result['best_epoch']}. All settings:" in card
    assert f"data: train {result['fingerprints']['train']}, dev " in ok("models", out).out
    covered = "These scores are those of DAY only: predictions of the types of "
    assert covered in card
    assert covered in done.out


def test_a_shipped_model_with_more_types_predicts_the_same_on_thousands_of_sentences(tmp_path):
    """The new head is trained on nothing, which is as bad as heads can be."""
    start = read_start("litbank")
    rng = np.random.default_rng(1)
    words = [*start_words(start), "Xyz-7", "naïve", "1899", "!"]
    sentences = [
        corpus.Sentence([words[i] for i in rng.integers(0, len(words), rng.integers(1, 40))])
        for _ in range(2_000)
    ]
    width = start.weights["emit.weight"].shape[1]
    head = tmp_path / "head"
    head.mkdir()
    save_file(
        {
            "emit.weight": rng.normal(size=(10, width)).astype(np.float32),
            "emit.bias": rng.normal(size=10).astype(np.float32),
        },
        head / WEIGHTS,
    )
    new = ModelInfo(types=["A", "B"], tokenizer="ptb", encoder={"kind": "wordchar"})
    write_info(head, new)
    add_types(start, head, tmp_path / "model")
    write_manifest(tmp_path / "model")
    kept = set(start.info.types)
    both = zip(
        predicted(start.folder, sentences), predicted(tmp_path / "model", sentences), strict=True
    )
    entities = 0
    for before, after in both:
        assert [span for span in after if span.label in kept] == before
        entities += len(before)
    assert entities > 1_000


def start_words(start):
    vocabulary = read_vocabulary(start.folder)
    return [*vocabulary.pretrained[:3_000], *vocabulary.trained[:500]]


def test_with_the_encoder_trained_the_models_own_predictions_hold_the_old_types(
    toy_model, new_data, toy_corpus_file, tmp_path
):
    """The new text has people, places and organizations in it, of which only days are annotated."""
    sentences = [
        corpus.Sentence(
            s.tokens, [Span(i, i + 1, "DAY") for i, word in enumerate(s.tokens) if word == "Monday"]
        )
        for s in toy_sentences()
    ]
    corpus.write([*sentences, *corpus.read(new_data)], tmp_path / "days.jsonl")
    out = tmp_path / "out"
    done = innermost(
        *("train", "--train", tmp_path / "days.jsonl", "--annotates", "DAY", "--dev", new_data),
        *("--annotates", "DAY", "--dev", toy_corpus_file, "--annotates", "ORG,PERSON,PLACE"),
        *("--out", out, "--start-from", toy_model, "--keep-types"),
        *("--set", "start.freeze=false", "--set", "training.learning_rate=0.05"),
        *("--set", "training.threads=1"),
    )
    assert done.code == 0, done.err
    assert f"days.jsonl annotates DAY; {toy_model} annotates its other types in it" in done.err
    result = json.loads((out / "result.json").read_text())
    assert result["start"]["micro"]["f1"] == 1.0
    types = result["dev"]["types"]
    assert types["DAY"]["f1"] > 0.9
    assert min(types[label]["f1"] for label in ("ORG", "PERSON", "PLACE")) > 0.9
    assert "before" in done.out


def test_predictions_fill_in_only_what_is_not_annotated(toy_model):
    start = read_start(str(toy_model))
    sentence = toy_sentences()[0]
    labels = {span.label for span in sentence.entities}
    assert labels == {"PERSON", "PLACE"}
    bare = corpus.Sentence(sentence.tokens, [Span(0, 1, "DAY")])
    split = Split("s", [bare], "f", (Coverage("s", 1, frozenset({"DAY", "PLACE"})),))
    filled = with_predictions(split, start)
    expected = [Span(0, 1, "DAY"), *(s for s in sentence.entities if s.label == "PERSON")]
    assert sorted(filled.sentences[0].entities) == sorted(expected)
    assert filled.files[0].annotates == {"DAY", "PLACE", "PERSON", "ORG"}
    assert filled.files[0].predicted == {"PERSON", "ORG"}
    (warning,) = absent_types(filled)  # not for ORG, which the file does not annotate
    assert "'PLACE' is annotated but never occurs" in warning


@pytest.mark.parametrize("freeze", [True, False])
def test_only_the_heads_of_new_types_are_listed(freeze, toy_model, new_data):
    data = {"train": str(new_data), "dev": str(new_data)}
    start = {"model": str(toy_model), "keep_types": True, "freeze": freeze}
    choice = load_experiment({"preset": "auto", "data": data, "start": start}).choice
    assert f"starting from {toy_model}" in choice
    assert "PLACE" not in choice


def test_nothing_new_to_add_is_an_error(toy_model, toy_corpus_file):
    data = {"train": str(toy_corpus_file), "dev": str(toy_corpus_file)}
    settings = {"data": data, "start": {"model": str(toy_model), "keep_types": True}}
    with pytest.raises(ConfigError, match="does not already have"):
        load_experiment(settings)


def test_types_of_no_model_cannot_be_kept(toy_corpus_file):
    data = {"train": str(toy_corpus_file), "dev": str(toy_corpus_file)}
    with pytest.raises(ConfigError, match="without a model"):
        load_experiment({"data": data, "start": {"keep_types": True}})
