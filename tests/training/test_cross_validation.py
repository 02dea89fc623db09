"""``--folds``: cross-validated scores, and one model from all of the data."""

import json

import pytest

from helpers.cli import innermost, ok
from helpers.small_training import arguments
from helpers.toy_corpus import toy_sentences
from innermost import corpus, load
from innermost.errors import UsageError
from innermost.evaluation.counts import Counts
from innermost.evaluation.significance import Interval
from innermost.model_folder.info import read_info
from innermost.model_folder.manifest import verify
from innermost.training.cross_validation import CrossValidation, intervals, summary
from innermost.training.experiment import load_experiment
from innermost.training.settings.config import load_settings


def result(correct, predicted, gold, *, epoch, temperature, **types):
    def counts(correct, predicted, gold):
        precision, recall = correct / predicted, correct / gold
        f1 = 2 * correct / (predicted + gold)
        numbers = {"gold": gold, "predicted": predicted, "correct": correct}
        return {"precision": precision, "recall": recall, "f1": f1, **numbers}

    dev = {"micro": counts(correct, predicted, gold)}
    dev["types"] = {label: counts(*numbers) for label, numbers in types.items()}
    return {"dev": dev, "best_epoch": epoch, "temperature": temperature}


def test_counts_of_all_folds_add_up():
    rows = [
        result(6, 10, 12, epoch=4, temperature=2.0, A=(6, 10, 12)),
        result(3, 5, 4, epoch=9, temperature=0.5, A=(1, 2, 2), B=(2, 3, 2)),
        result(9, 9, 10, epoch=5, temperature=None, B=(9, 9, 10)),
    ]
    scores = summary(rows)
    assert scores["micro"]["f1"] == pytest.approx(2 * 18 / (24 + 26))
    assert scores["types"]["A"]["recall"] == pytest.approx(7 / 14)
    assert scores["types"]["B"]["precision"] == pytest.approx(11 / 12)
    assert scores["epochs"] == 5
    assert scores["temperature"] == pytest.approx(1.0)


def test_each_interval_is_that_of_the_score_over_all_folds():
    # The mean of the folds' F1 is 0.647, F1 over all folds 0.635.
    rows = [
        result(60, 100, 100, epoch=1, temperature=None),
        result(33, 50, 50, epoch=1, temperature=None),
        result(34, 50, 50, epoch=1, temperature=None),
    ]
    scores = summary(rows)
    for name, limits in scores["intervals"].items():
        assert limits["value"] == scores["micro"][name]
        middle = (limits["low"] + limits["high"]) / 2
        assert middle == pytest.approx(limits["value"])


def test_interval_of_folds_of_equal_size_is_students_of_their_mean():
    # Mean 0.6, standard deviation 0.1, n = 5: half a width of 2.776 * 0.1 / sqrt(5).
    n = 10**6
    correct = [round((0.6 + d) * n) for d in (-0.1 * 2**0.5, 0.1 * 2**0.5, 0, 0, 0)]
    for scores in intervals([Counts(n, n, number) for number in correct]).values():
        assert scores.value == pytest.approx(0.6)
        assert scores.high - scores.value == pytest.approx(2.776 * 0.1 / 5**0.5, rel=1e-3)
    assert intervals([Counts(10, 10, 1), Counts(10, 10, 9)])["f1"] == Interval(0.5, 0.0, 1.0)


def test_an_interval_is_wide_if_one_fold_has_most_of_the_entities():
    def width(*folds):
        scores = intervals([Counts(gold, gold, correct) for gold, correct in folds])["f1"]
        return scores.high - scores.low

    assert width((100, 80), (100, 80), (100, 70)) < width((300, 240), (10, 8), (10, 7)) < 1


def test_a_fold_without_predictions_counts():
    scores = intervals([Counts(10, 8, 6), Counts(10, 0, 0)])
    assert scores["precision"] == Interval(0.75, 0.0, 1.0)


def test_folds_then_a_model_of_everything(toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    sizes = arguments(training__epochs=12, training__evaluate_every=3)
    command = ("train", "--train", toy_corpus_file, "--folds", 2, "--out", out, *sizes)
    done = innermost(*command, "--json")
    assert done.code == 0, done.err
    scores = json.loads(done.out)["folds"]
    assert scores["folds"] == 2
    sizes = [r["dev"]["micro"]["gold"] for r in scores["results"]]
    assert scores["micro"]["gold"] == sum(sizes) == 96  # every entity is scored once
    assert scores["micro"]["f1"] > 0.5
    info = read_info(out / "model")
    assert info.scores["cross_validation"]["f1"] == pytest.approx(scores["micro"]["f1"])
    assert info.name == read_info(out / "fold-1" / "model").name == "out"
    card = (out / "model" / "README.md").read_text()
    assert card.startswith("# out\n")
    assert "\n## Cross-validation\n\nEach of 2 folds was scored by a model trained on the" in card
    assert f"| all | {100 * scores['micro']['precision']:.2f} |" in card
    assert "No scores" not in card
    verify(out / "model")
    last = json.loads((out / "log.jsonl").read_text().splitlines()[-1])
    assert last["epoch"] == scores["epochs"]
    assert load(out)("nobody in Oslo spoke on Monday .").entities
    ok("card", out, "--test", toy_corpus_file, "--no-speed")
    measured = (out / "model" / "README.md").read_text()
    assert "\n## Cross-validation\n" + card.partition("\n## Cross-validation\n")[2] in measured
    assert measured.index("## Scores") < measured.index("## Cross-validation")
    assert "Measured on" in measured
    again = innermost(*command, "--resume")
    assert again.code == 0, again.err
    assert "95% interval" in again.out
    refused = innermost(*command)
    assert refused.code == 2
    assert "--resume" in refused.err
    more = innermost(*command, "--folds", 3, "--resume")
    assert more.code == 1
    assert f"{out} contains a run with 2 folds, not 3\n  resume it with --folds 2" in more.err


def test_folds_take_the_place_of_development_data(toy_corpus_file, tmp_path):
    done = innermost(
        *("train", "--train", toy_corpus_file, "--dev", toy_corpus_file, "--folds", 5),
        *("--out", tmp_path / "out"),
    )
    assert done.code == 2
    assert "--folds with --dev" in done.err


def test_two_documents_in_three_folds_are_split_with_a_warning(tmp_path):
    sentences = toy_sentences()
    for number, sentence in enumerate(sentences):
        sentence.doc = "ab"[number % 2]
    corpus.write(sentences, tmp_path / "data.jsonl")
    done = innermost(
        *("train", "--train", tmp_path / "data.jsonl", "--folds", 3, "--out", tmp_path / "out"),
        *arguments(training__epochs=12),
    )
    assert done.code == 0, done.err
    assert "data.jsonl has 2 documents and is split by sentence for 3 folds" in done.err


@pytest.mark.parametrize(
    ("number", "seeds", "message"),
    [(1, [1], "^1 fold\n"), (0, [1], "^0 folds\n"), (5, [1, 2], "with several seeds")],
)
def test_one_fold_or_several_seeds_are_refused(toy_corpus_file, tmp_path, number, seeds, message):
    values = {"data": {"train": str(toy_corpus_file)}, "training": {"seeds": seeds}}
    experiment = load_experiment(load_settings(None, values=values), needs_dev=False)
    with pytest.raises(UsageError, match=message):
        CrossValidation(experiment.config, experiment.data, tmp_path, number)
