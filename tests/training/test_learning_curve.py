"""``--curve``: growing shares of the data, a power law through their scores, and what follows."""

import json

import numpy as np
import pytest

from helpers.cli import innermost
from helpers.small_training import arguments
from innermost import corpus, load
from innermost.training.learning_curve import Curve, Fit, drawn, fit

SIZES = [100, 200, 400, 800]


@pytest.mark.parametrize(("limit", "gap", "rate"), [(0.8, 4.0, 0.6), (0.95, 1.5, 0.3), (0.5, 9, 1)])
def test_a_power_law_is_found_again(limit, gap, rate):
    law = Fit(limit, gap, rate)
    fitted = fit(SIZES, [law(n) for n in SIZES])
    assert fitted(1600) == pytest.approx(law(1600), abs=0.003)


def test_no_other_law_of_the_grid_is_closer():
    rng = np.random.default_rng(5)
    f1 = np.sort(rng.uniform(0.3, 0.8, 4))
    fitted = fit(SIZES, f1)

    def error(law):
        return sum((law(n) - y) ** 2 for n, y in zip(SIZES, f1, strict=True))

    for rate in np.linspace(0.05, 2.0, 40):
        for limit in np.linspace(0.3, 1.0, 71):
            basis = np.array(SIZES) ** -rate
            gap = max(float((limit - f1) @ basis / (basis @ basis)), 0.0)
            assert error(fitted) <= error(Fit(limit, gap, rate)) + 1e-4


def test_a_curve_that_falls_is_flat_and_none_is_above_one():
    assert fit(SIZES, [0.7, 0.6, 0.5, 0.4]).gap == 0
    assert Curve(SIZES, [0.96, 0.97, 0.98, 0.99], Fit(1.2, 1.57, 0.3)).doubled == 1


def test_the_verdict_says_what_twice_the_data_brings():
    growing = [0.4, 0.5, 0.58, 0.64]
    verdict = Curve(SIZES, growing, fit(SIZES, growing)).verdict
    assert verdict.startswith("twice the data, 1,600 sentences, would bring about 4.")
    flat = [0.7, 0.701, 0.7, 0.701]
    assert "less than half a point" in Curve(SIZES, flat, fit(SIZES, flat)).verdict
    picture = drawn(Curve(SIZES, growing, fit(SIZES, growing)))
    assert picture.startswith("<svg")
    assert picture.count("<circle") == 5


def test_the_gain_is_that_over_the_score_of_all_data():
    f1 = [0.4, 0.5, 0.58, 0.65]
    curve = Curve(SIZES, f1, fit(SIZES, f1))
    assert curve.fit(800) != f1[-1]
    gain = 100 * (curve.doubled - 0.65)
    assert gain == pytest.approx(100 * (curve.fit(1600) - curve.fit(800)))
    assert f"about {gain:.1f} points" in curve.verdict


@pytest.mark.parametrize(
    ("f1", "reason"),
    [
        ([0.0] * 4, "all scores are 0"),
        ([0.1, 0.72, 0.7, 0.97], "the fit misses the score of all data by"),
    ],
)
def test_without_a_fit_there_is_no_estimate(f1, reason):
    curve = Curve(SIZES, f1, fit(SIZES, f1))
    assert curve.doubled is curve.to_dict()["doubled"] is None
    assert curve.verdict.startswith(f"no estimate of what twice the data would bring: {reason}")
    assert drawn(curve).count("<circle") == 4


def test_shares_are_trained_one_after_the_other(toy_corpus_file, tmp_path):
    out = tmp_path / "out"
    command = (
        *("train", "--train", toy_corpus_file, "--dev", toy_corpus_file, "--out", out, "--curve"),
        *("--preset", "paper", *arguments(training__epochs=8, training__evaluate_every=4)),
    )
    done = innermost(*command, "--json")
    assert done.code == 0, done.err
    curve = json.loads(done.out)["curve"]
    assert curve["sentences"] == [6, 12, 24, 48]
    assert curve == json.loads((out / "curve.json").read_text())
    assert (out / "curve.svg").exists()
    assert load(out).types == ["ORG", "PERSON", "PLACE"]
    assert load(out).info.name == load(out / "share-0.5").info.name == "out"
    again = innermost(*command, "--resume")
    assert again.code == 0, again.err
    assert curve["verdict"] in again.out


def test_what_makes_no_curve(toy_corpus_file, tmp_path):
    few = tmp_path / "few.jsonl"
    corpus.write(list(corpus.read(toy_corpus_file))[:12], few)
    done = innermost("train", "--train", few, "--dev", few, "--curve", "--out", tmp_path / "out")
    assert done.code == 2
    assert "12 training sentences are too few" in done.err
    done = innermost("train", "--train", few, "--folds", 2, "--curve", "--out", tmp_path / "out")
    assert done.code == 2
    assert "--folds with --curve" in done.err
