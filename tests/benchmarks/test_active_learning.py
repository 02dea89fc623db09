"""The simulation of annotation: what is chosen, what is needed, and how it continues."""

from itertools import pairwise

import pytest

pytest.importorskip("torch")

from benchmarks.active_learning import Simulation, Step, _new_steps, needed, report

from helpers.toy_corpus import toy_sentences

# The toy corpus repeats its sentences in all splits, which is a warning.
pytestmark = pytest.mark.filterwarnings("ignore::innermost.errors.InnermostWarning")

SETTINGS = {
    "preset": "paper",
    "encoder": {"hidden": 8, "word_dimension": 8, "character_filters": 6},
    "training": {
        "epochs": 4,
        "learning_rate": 0.05,
        "batch_tokens": 30,
        "optimizer": "adamw",
        "threads": 1,
    },
}


@pytest.fixture(scope="module")
def simulation():
    sentences = list({tuple(s.tokens): s for s in toy_sentences()}.values())
    return Simulation(sentences, sentences[::2], sentences[1::2], 8, 4, 16, SETTINGS)


@pytest.mark.parametrize("strategy", ["random", "suggest"])
def test_each_step_keeps_what_was_chosen_and_adds_more(simulation, strategy):
    steps = list(simulation.steps(strategy, 1))
    assert [step.sentences for step in steps] == [8, 12, 16]
    for before, after in pairwise(steps):
        assert after.chosen[: len(before.chosen)] == before.chosen
        assert len(set(after.chosen)) == len(after.chosen)
        assert after.tokens > before.tokens


def test_a_simulation_continues_with_its_last_step(simulation):
    whole = list(simulation.steps("random", 2))
    known = whole[:2]
    assert [s.chosen for s in _new_steps(simulation, "random", 2, known)] == [whole[2].chosen]
    assert list(_new_steps(simulation, "random", 2, whole)) == []


def test_how_much_is_needed_is_interpolated():
    steps = [
        Step("suggest", 1, n, 10 * n, f1, []) for n, f1 in ((100, 0.4), (200, 0.5), (300, 0.6))
    ]
    assert needed(steps, 0.55, "sentences") == pytest.approx(250)
    assert needed(steps, 0.55, "tokens") == pytest.approx(2500)
    assert needed(steps, 0.3, "sentences") == 100
    assert needed(steps, 0.7, "sentences") is None
    random = [Step("random", 1, n, 10 * n, f1, []) for n, f1 in ((100, 0.4), (500, 0.55))]
    text = report([*steps, *random])
    assert "random choice reaches 55.0 with 500 sentences" in text
    assert "suggest needs 50% of the sentences, 50% of the tokens" in text
