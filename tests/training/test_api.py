"""Training from Python: the same runs as on the command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import innermost
from helpers.cli import innermost as command
from helpers.small_training import SMALL, arguments
from helpers.toy_corpus import toy_sentences
from innermost import corpus
from innermost.errors import ConfigError, DataError, InnermostWarning, UsageError
from innermost.training.events import EpochScored, Finished, Ready
from innermost.training.experiment import HELD_OUT
from innermost.training.settings.config import DataFile

WARNED = pytest.mark.filterwarnings("ignore::innermost.errors.InnermostWarning")
"""For data that is not as it should be."""


def tables(**more):
    """The settings of a small model, as tables."""
    result = {"preset": "paper"}
    settings = {**SMALL, **{key.replace("__", "."): value for key, value in more.items()}}
    for key, value in settings.items():
        section, name = key.split(".")
        result.setdefault(section, {})[name] = value
    return result


def weights(folder):
    return (folder / "model" / "weights.safetensors").read_bytes()


@WARNED
def test_sentences_files_and_the_command_line_train_the_same_model(toy_corpus_file, tmp_path):
    done = command(
        *("train", "--train", toy_corpus_file, "--dev", toy_corpus_file, "--out", tmp_path / "a"),
        *("--preset", "paper", *arguments(training__epochs=8)),
    )
    assert done.code == 0, done.err
    file = str(toy_corpus_file)
    innermost.train(file, file, out=tmp_path / "b", settings=tables(training__epochs=8))
    sentences = toy_sentences()
    innermost.train(sentences, sentences, out=tmp_path / "c", settings=tables(training__epochs=8))
    assert weights(tmp_path / "a") == weights(tmp_path / "b") == weights(tmp_path / "c")


@WARNED
def test_the_result_has_scores_and_the_loaded_model():
    events = []
    result = innermost.train(
        toy_sentences(),
        test=toy_sentences(),
        preset="auto",
        settings=tables(training__epochs=16),
        on_event=events.append,
    )
    assert any(isinstance(item.event, EpochScored) for item in events)
    assert isinstance(events[-1].event, Finished)
    assert result.scores == result.details["test"]
    assert result.scores["micro"]["f1"] > 0.5
    assert re.fullmatch(r"<TrainingResult \S+: F1 [\d.]+>", repr(result))
    assert result.model("nobody in Oslo spoke on Monday .").entities[0].label == "PLACE"
    assert "sentences" in result.choice
    assert (result.folder / "result.json").exists()


def test_warnings_about_the_data_reach_the_caller(toy_corpus_file):
    file = str(toy_corpus_file)
    with pytest.warns(InnermostWarning, match="the train and dev data are the same") as issued:
        result = innermost.train(file, file, settings=tables(training__epochs=8))
    assert result.warnings == [str(warning.message) for warning in issued]
    assert {warning.filename for warning in issued} == {__file__}
    with pytest.warns(InnermostWarning, match="the train and dev data are the same") as issued:
        innermost.Training(file, file)
    assert {warning.filename for warning in issued} == {__file__}


def test_a_name_that_renames_nothing_is_a_warning(toy_corpus_file):
    settings = {"data": {"rename": {"PLAC": "place"}}}
    with pytest.warns(InnermostWarning, match="none has the type PLAC; did you mean 'PLACE'"):
        training = innermost.Training(toy_corpus_file, 0.25, settings=settings)
    assert training.experiment.warnings[0].startswith(f"{toy_corpus_file}: no entity to rename: ")


def test_types_of_sentences_are_renamed(toy_corpus_file):
    settings = tables()
    settings["data"] = {"rename": {"PLACE": "place", "ORG": ""}}
    ours = innermost.Training(toy_sentences(), 0.25, settings=settings).experiment.data
    read = innermost.Training(toy_corpus_file, 0.25, settings=settings).experiment.data
    assert ours.types == read.types == ["PERSON", "place"]
    assert ours.train.fingerprint == read.train.fingerprint


def test_offsets_that_do_not_fit_the_words_are_a_warning(tmp_path):
    path = tmp_path / "x.jsonl"
    record = {"text": "It rained in Oslo.", "entities": [[13, 16, "PLACE"]]}
    path.write_text(f"{json.dumps(record)}\n" * 20)
    with pytest.warns(InnermostWarning) as issued:
        innermost.Training(path, 0.25, settings=tables())
    assert any("20 of 20 entities begin or end inside a token" in str(w.message) for w in issued)


def test_events_come_one_by_one_and_the_result_last(toy_corpus_file, tmp_path):
    options = {"out": tmp_path / "out", "settings": tables(training__epochs=8), "seed": 3}
    training = innermost.Training([toy_corpus_file], 0.25, **options)
    with pytest.raises(UsageError, match="not finished"):
        _ = training.result
    for item in training:
        assert item.name == "seed 3"
    assert training.result.details["seed"] == 3
    again = innermost.Training([toy_corpus_file], 0.25, resume=True, **options)
    assert [type(item.event) for item in again] == [Finished]
    assert again.result.scores == training.result.scores


def test_notes_in_events_name_parameters(toy_corpus_file, monkeypatch):
    note = "note: busy; --set training.threads=2 uses all"
    monkeypatch.setattr("innermost.training.run.use_threads", lambda wanted: note)
    training = innermost.Training([toy_corpus_file], 0.25, settings=tables(training__epochs=1))
    ready = next(item.event for item in training if isinstance(item.event, Ready))
    assert ready.note == "note: busy; settings={'training': {'threads': 2}} uses all"


@WARNED
def test_what_reading_lost_is_in_the_result(tmp_path):
    sentences = toy_sentences()
    for number, sentence in enumerate(sentences):
        sentence.doc = f"d{number}"
    corpus.write(sentences, tmp_path / "brat", format="brat")
    file = min((tmp_path / "brat").glob("*.ann"))
    file.write_text(file.read_text() + "R1\tKNOWS Arg1:T1 Arg2:T1\n")
    folder = str(tmp_path / "brat")
    result = innermost.train(folder, sentences, settings=tables(training__epochs=8))
    assert result.report.counts["lost", "relation"] == 1


def test_a_card_names_no_folders_of_absolute_paths(toy_corpus_file, tmp_path):
    run, again = tmp_path / "private" / "run", tmp_path / "private" / "again"
    data = ["--train", toy_corpus_file, "--dev", toy_corpus_file]
    few = arguments(training__epochs=8)
    assert command("train", *data, "--out", run, "--preset", "paper", *few).code == 0
    assert command("train", *data, f"--out={again}", "--start-from", run).code == 0
    for folder in (run, again):
        card = (folder / "model" / "README.md").read_text(encoding="utf-8")
        assert str(tmp_path) not in card
        assert toy_corpus_file.name in card
        assert str(tmp_path) not in (folder / "model" / "model.toml").read_text(encoding="utf-8")


@WARNED
def test_folds_and_partial_annotation(toy_corpus_file):
    places = DataFile(path=str(toy_corpus_file), annotates=("PLACE",))
    result = innermost.train(places, folds=2, settings=tables(training__epochs=8))
    assert result.scores["folds"] == 2
    assert list(result.scores["types"]) == ["PLACE"]
    assert result.model.types == ["PLACE"]


def test_what_cannot_be_trained_on(toy_corpus_file, tmp_path):
    with pytest.raises(UsageError, match="`train` contains an object of type int"):
        innermost.train([1, 2])
    sentences = toy_sentences()
    with pytest.raises(UsageError, match="`train` contains Sentence objects and others"):
        innermost.train([*sentences, toy_corpus_file])
    with pytest.raises(UsageError, match="`train` is an object of type dict"):
        innermost.train({"tokens": ["a"]})
    with pytest.raises(UsageError, match=r"toy\.jsonl is a file"):
        innermost.train(toy_sentences(), 0.25, out=toy_corpus_file, settings=tables())
    with pytest.raises(DataError, match="no sentences"):
        innermost.train([])
    with pytest.raises(DataError, match="no sentences with tokens"):
        innermost.train([innermost.Sentence([])])
    with pytest.raises(UsageError, match="both `dev` and `folds`"):
        innermost.train(str(toy_corpus_file), 0.1, folds=5)
    with pytest.raises(UsageError, match="resume"):
        innermost.train(str(toy_corpus_file), resume=True)
    with pytest.raises(ConfigError, match="without a model") as caught:
        innermost.train(str(toy_corpus_file), keep_types=True)
    assert caught.value.hint == 'name it with `start_from`, e.g. start_from="english"'


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"folds": "5"}, "`folds` is an object of type str\n  use a whole number, as in folds=5"),
        ({"folds": True}, "`folds` is an object of type bool"),
        ({"seed": 0.5}, "`seed` is an object of type float"),
        ({"out": 3}, "`out` is an object of type int\n  use the path of a folder"),
        ({"config": {}}, "`config` is an object of type dict\n  use the path of a TOML file"),
        ({"settings": "a.toml"}, "`settings` is an object of type str\n  use a dict of sections"),
        ({"on_event": 3}, "`on_event` is an object of type int\n  use a function"),
    ],
)
def test_parameters_of_a_wrong_type(parameters, message):
    with pytest.raises(UsageError) as error:
        innermost.train(toy_sentences(), **parameters)
    assert str(error.value).startswith(message)


def test_a_data_frame_is_not_a_list_of_files():
    frame = pytest.importorskip("pandas").DataFrame({"text": ["a"], "entities": [[]]})
    with pytest.raises(UsageError, match="`train` is an object of type DataFrame"):
        innermost.train(frame)


@WARNED
def test_a_start_or_a_teacher_may_be_a_loaded_model():
    model = innermost.load("english")
    sentences = [innermost.Sentence(["Ghent", "is", "old"], [(0, 1, "place")])] * 8
    by_name = innermost.Training(sentences, sentences, start_from="english", teachers=["english"])
    loaded = innermost.Training(sentences, sentences, start_from=model, teachers=[model])
    alone = innermost.Training(sentences, sentences, start_from=model, teachers=model)
    named = innermost.Training(sentences, sentences, start_from="english", teachers="english")
    fingerprints = by_name.experiment.data.teachers.fingerprints
    for training in (by_name, loaded, alone, named):
        assert training.experiment.data.start.folder == model.folder
        assert training.experiment.data.teachers.fingerprints == fingerprints


def test_advice_and_errors_name_parameters(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "file").touch()
    words = ["Google", "opened", "an", "office", "in", "Berlin", "."]
    sentences = [
        innermost.Sentence([*words, str(n)], [(0, 1, "A"), (5, 6, "B")]) for n in range(20)
    ]
    training = innermost.Training(sentences, 0.2, out=out)
    assert 'start_from="english" usually scores higher' in training.experiment.advice
    with pytest.raises(UsageError, match="is not empty") as caught:
        list(training)
    assert caught.value.hint == "add resume=True to continue it, or choose another `out`"


@WARNED
def test_a_tenth_is_held_out_unless_development_data_is_named(toy_corpus_file, tmp_path):
    file = str(toy_corpus_file)
    config = tmp_path / "config.toml"
    config.write_text(f"[data]\ndev = {json.dumps(file)}\n")

    def dev(**options):
        return innermost.Training(file, **options).experiment.config.data.dev

    page = Path(__file__).parents[2] / "docs" / "own-data.md"
    assert dev() == HELD_OUT
    assert f"to hold out; {HELD_OUT} by default" in page.read_text(encoding="utf-8")
    assert dev(config=config) == dev(settings={"data": {"dev": file}}) == file
    assert dev(settings={"data": {"dev": []}}) == HELD_OUT
    assert dev(config=config, dev=0.25) == 0.25


@pytest.mark.parametrize("share", [0, 1, -0.5])
def test_a_share_between_0_and_1(toy_corpus_file, share):
    with pytest.raises(ConfigError, match=r"data\.dev"):
        innermost.Training(str(toy_corpus_file), share)


def test_sentences_are_checked_before_training(tmp_path):
    good, bad = innermost.Sentence(["a", "b"]), innermost.Sentence(["a", "b"], [(1, 3, "X")])
    with pytest.raises(DataError, match=r"dev data: sentence 3: .* outside the sentence of 2"):
        innermost.train([good], [good, good, bad], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("form", [tuple, list])
def test_entities_may_be_plain_tuples_and_lists(form):
    plain = toy_sentences()
    for sentence in plain:
        sentence.entities = [form(span) for span in sentence.entities]
    training = innermost.Training(plain, 0.25, settings=tables())
    spans = innermost.Training(toy_sentences(), 0.25, settings=tables())
    assert training.experiment.data.train == spans.experiment.data.train


def test_torch_is_imported_only_to_train():
    code = (
        "import sys, innermost; innermost.train, innermost.Training; "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
