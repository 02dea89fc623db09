"""``innermost card``, and the card that training writes."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.cli import innermost, ok
from innermost import corpus
from innermost.evaluation.card.head import head
from innermost.model_folder.info import ModelInfo, read_info
from innermost.model_folder.installed import installed
from innermost.model_folder.manifest import verify
from reproduction.small_corpora import TINY


@pytest.fixture(scope="module")
def trained(toy_corpus_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="training needs torch")
    out = tmp_path_factory.mktemp("runs") / "letters"
    data = [f"--{split}={toy_corpus_file}" for split in ("train", "dev", "test")]
    identity = ["--set=model.version=2.1", "--set=model.license=MIT", "--set=training.epochs=20"]
    ok("train", *data, "--out", out, *TINY, *identity)
    return out


def test_training_gives_a_model_an_identity_and_a_card(trained: Path) -> None:
    info = read_info(trained / "model")
    assert (info.name, info.version, info.license) == ("letters", "2.1", "MIT")
    assert info.date
    assert info.innermost
    assert set(info.scores) == {"dev", "test"}
    result = json.loads((trained / "result.json").read_text())
    card = (trained / "model" / "README.md").read_text()
    assert card.startswith("# letters\n\nFinds ORG, PERSON, PLACE in text")
    assert "| license | MIT |" in card
    assert f"| training | toy.jsonl | 48 | 464 | 96 | {result['fingerprints']['train']} |" in card
    for part in ("### Development data", "### Test data", "| PLACE |", "| level |", "```toml\n"):
        assert part in card
    test = result["test"]["micro"]
    assert f"| all | {100 * test['precision']:.2f} | {100 * test['recall']:.2f} |" in card
    verify(trained / "model")


def test_models_shows_a_folder(trained: Path) -> None:
    shown = ok("models", trained).out
    assert shown.startswith("letters 2.1  ")
    for part in ("license: MIT", "test F1", "tokenizer: unicode", "trained: ", "data: train "):
        assert part in shown
    (described,) = ok("models", trained, "--json").json["models"]
    assert described["license"] == "MIT"
    assert described["training"]["fingerprints"]["train"]
    assert ok("models", trained, "--card").out.startswith("# letters\n")
    nothing = innermost("models", trained.parent / "absent")
    assert nothing.code == 1


def test_a_folder_of_several_runs_names_them(trained: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for seed in (1, 2):
        shutil.copytree(trained, runs / f"seed-{seed}")
    done = innermost("predict", "-m", runs, "a text")
    assert done.code == 1
    assert f"{runs} contains 2 models: {runs / 'seed-1'}, {runs / 'seed-2'}" in done.err


def test_a_card_is_measured_again_and_keeps_what_people_wrote(
    trained: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(trained / "model", folder)
    readme = folder / "README.md"
    sections = "\n## Speed\n\nFast.\n\n## Sources\n\nOurs.\n"
    readme.write_text(
        readme.read_text().replace("## Data", "## Known failures\n\nMany.\n\n## Data") + sections
    )
    (folder / "SHA256SUMS").unlink()
    data = ["--test", toy_corpus_file, "--raw-text", toy_corpus_file, "--no-speed"]
    ok("card", folder, *data)
    once = readme.read_text()
    assert "## Known failures\n\nMany.\n" in once
    assert once.endswith(sections)
    titles = [line for line in once.splitlines() if line.startswith("## ")]
    assert titles[-4:] == ["## Scores", "## Calibration", "## Speed", "## Sources"]
    assert once.count("## Scores") == 1
    assert "### Development data" not in once
    assert "On raw text" in once
    assert "## Calibration" in once
    assert (folder / "reliability.svg").exists()
    before = read_info(trained / "model").scores["dev"]
    assert read_info(folder).scores["dev"] == before
    assert f"Development F1 {100 * before['f1']:.2f}, measured earlier." in once
    ok("card", folder, *data)
    assert readme.read_text() == once
    other = tmp_path / "other"
    shutil.copytree(installed()["genia"], other)
    done = innermost("card", other, "--test", toy_corpus_file, "--no-speed")
    assert done.code == 1
    assert "finds no correct entity" in done.err
    assert "DNA, RNA" in done.err


def test_the_card_of_an_installed_model_is_not_replaced(
    trained: Path, toy_corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(trained / "model", tmp_path / "toy")
    before = {path: path.read_bytes() for path in (tmp_path / "toy").iterdir()}
    monkeypatch.setattr("innermost.model_folder.installed.MODELS", tmp_path)
    done = innermost("card", "toy", "--test", toy_corpus_file, "--no-speed")
    assert done.code == 2
    assert f"copy {tmp_path / 'toy'} and give the folder of the copy" in done.err
    assert {path: path.read_bytes() for path in (tmp_path / "toy").iterdir()} == before
    ok("card", tmp_path / "toy", "--test", toy_corpus_file, "--no-speed")


def test_a_card_keeps_what_its_scores_cover(
    trained: Path, toy_corpus_file: Path, tmp_path: Path
) -> None:
    folder, places = tmp_path / "model", tmp_path / "places.jsonl"
    shutil.copytree(trained / "model", folder)
    only = "## Scores\n\nThese scores are those of PLACE only.\n"
    sentences = [
        replace(s, entities=[e for e in s.entities if e.label == "PLACE"])
        for s in corpus.read(toy_corpus_file)
    ]
    corpus.write(sentences, places)
    measure = ("card", folder, "--no-speed", "--test")
    lacks = "warning: the data annotates only 1 of the 3 types of"
    errors = ok(*measure, places, "--dev", toy_corpus_file).err
    assert f"places.jsonl:\n{lacks}" in errors
    assert f"{toy_corpus_file.name}:" not in errors
    assert "only" not in ok("models", folder).out
    ok(*measure, toy_corpus_file, "--types", "PLACE")
    scores = read_info(folder).scores
    assert scores["test"]["types"] == ["PLACE"]
    assert "types" not in scores["dev"]
    assert only in (folder / "README.md").read_text()
    again = ok(*measure, places)
    assert "counting PLACE only, as before" in again.err
    assert "the data annotates" not in again.err
    assert read_info(folder).scores == scores
    assert f"test F1 {100 * scores['test']['f1']:.2f} (PLACE only)" in ok("models", folder).out
    ok(*measure, toy_corpus_file, "--types", "ORG,PERSON,PLACE")
    assert "types" not in read_info(folder).scores["test"]
    assert "only" not in (folder / "README.md").read_text().partition("## Scores")[2]


def test_a_card_states_the_model_that_the_training_started_from() -> None:
    start = {"name": "names", "version": "1.0", "license": "CC-BY-4.0"}
    info = ModelInfo(types=["A"], tokenizer="ud", encoder={}, training={"start": start})
    assert "| started from | names 1.0, license CC-BY-4.0 |" in head(info)
    assert "started from" not in head(ModelInfo(types=["A"], tokenizer="ud", encoder={}))


def test_a_card_states_the_origins_of_all_generations() -> None:
    names = {"name": "names", "version": "1.0", "license": "CC-BY-SA-4.0"}
    words = {"name": "words", "license": "MIT"}
    training = {"start": {"name": "de", "start": names}, "vectors": [words]}
    card = head(ModelInfo(types=["A"], tokenizer="ud", encoder={}, training=training))
    assert "| started from | de |" in card
    assert "| took word vectors from | words, license MIT |" in card
    assert "| earlier origins | names 1.0, license CC-BY-SA-4.0 |" in card
