"""The benchmark of little data: samples, results that are kept, and what is made of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from benchmarks.small_data import __main__ as command
from benchmarks.small_data import systems
from benchmarks.small_data.report import best_of_grid, markdown, plot
from benchmarks.small_data.results import Result, append, read_results
from benchmarks.small_data.samples import Sample
from benchmarks.small_data.systems import Score

from helpers.toy_corpus import toy_sentences
from innermost import corpus

# The toy corpus repeats its sentences in all splits, which is a warning.
pytestmark = pytest.mark.filterwarnings("ignore::innermost.errors.InnermostWarning")


@pytest.fixture
def data(tmp_path):
    for split in ("train", "dev", "test"):
        corpus.write(toy_sentences(), tmp_path / "gum" / f"{split}.jsonl", format="native")
    return tmp_path


def test_larger_samples_contain_the_smaller_ones(data):
    small, large = (Sample(data, "gum", size, 1).train for size in (10, 30))
    assert large[:10] == small
    assert Sample(data, "gum", 10, 2).train != small
    assert len(Sample(data, "gum", None, 1).train) == 48


def result(system="auto", f1=0.5, corpus="gum", size=100, sample=1):
    score = Score(f1, f1, f1, 90.0, 60.0, "note")
    return Result(corpus, size, sample, system, score, "abc", "2026-01-01", "a CPU")


def test_results_are_kept_and_shown(tmp_path):
    rows = [result(), result(f1=0.7, sample=2), result("start-from", 0.8), result(size=300)]
    for row in rows:
        append(tmp_path / "results.jsonl", row)
    kept = read_results(tmp_path / "results.jsonl")
    assert list(kept.values()) == rows
    table = markdown(kept.values())
    assert "| gum | 100 | 60.0 (2; 60 s) | 80.0 (1; 60 s) |" in table
    assert "start-from on gum is `litbank`" in table
    assert plot(kept.values(), "gum").count("<circle") == 3


def test_multilingual_is_the_start_for_other_corpora():
    rows = [result("start-from", corpus="germeval"), result("start-from")]
    table = markdown(rows)
    assert "start-from on germeval is `multilingual`" in table
    assert "start-from on gum is `litbank`" in table


def test_several_models_at_a_time(data, tmp_path):
    """In processes of their own, which must be able to import what they run."""
    command = [sys.executable, "-m", "benchmarks.small_data", str(data), "--out", "out"]
    command += ["--jobs", "2", "--corpora", "gum", "--systems", "start-from", "--sizes", "8,9"]
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])}
    done = subprocess.run(
        [*command, "--samples", "1", "--threads", "1"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    results = read_results(tmp_path / "out" / "results.jsonl")
    assert sorted(size for _, size, _, _ in results) == [8, 9]


def test_of_a_grid_the_best_setting_is_shown():
    rows = [
        result("grid: a", 0.9),
        result("grid: a", 0.3, sample=2),
        result("grid: b", 0.7),
        result("grid: b", 0.7, sample=2),
        result("grid: c", 0.95),
    ]
    assert "| gum | 100 | 70.0 (2; 60 s) |" in markdown(rows)
    assert [row.system for row in best_of_grid(rows)] == ["grid", "grid"]


def test_a_grid_is_several_runs(data, tmp_path, monkeypatch):
    names = []

    def fake(sample, computer, system):
        names.append(system)
        return Score(0.5, 0.5, 0.5, 1.0, 1.0)

    monkeypatch.setattr(systems, "one_of_grid", fake)
    arguments = [str(data), "--out", str(tmp_path / "out"), "--corpora", "gum", "--systems", "grid"]
    monkeypatch.setattr("sys.argv", ["x", *arguments, "--sizes", "10", "--samples", "1"])
    command.main()
    assert names == list(systems.grid(10))
    assert len(names) == 4


def test_what_is_there_is_not_run_again(data, tmp_path, monkeypatch, capsys):
    runs = []

    def fake(sample, computer):
        runs.append((sample.corpus, len(sample.train), sample.number))
        return Score(0.5, 0.5, 0.5, 1.0, 1.0)

    monkeypatch.setattr(systems, "SYSTEMS", {"auto": fake})
    arguments = [str(data), "--out", str(tmp_path / "out"), "--corpora", "gum", "--systems", "auto"]
    arguments += ["--sizes", "10,all", "--samples", "1,2"]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["small_data", *arguments])
        command.main()
    assert runs == [("gum", 10, 1), ("gum", 10, 2), ("gum", 48, 1), ("gum", 48, 2)]
    assert "| gum | 48 |" in capsys.readouterr().out
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    assert {json.loads(line)["fingerprint"] for line in lines}


def test_a_run_of_ours_is_scored_on_the_test_data(data):
    settings = {
        "encoder": {"hidden": 8, "word_dimension": 8, "character_filters": 6},
        "training": {"epochs": 12, "learning_rate": 0.05, "batch_tokens": 30, "optimizer": "adamw"},
    }
    sample = Sample(data, "gum", 40, 1)
    score = systems._trained(sample, systems.Computer(1), preset="paper", settings=settings)
    assert score.f1 > 0.5
    assert score.seconds > 0
