"""Character language models in a model: computed once, saved with it, loaded again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from innermost.corpus import Sentence
from innermost.errors import ModelError
from innermost.network.embedder import Layout
from innermost.parts.flair.character_lm import UNKNOWN, CharacterLM, save_character_lms
from innermost.parts.flair.settings import Settings
from innermost.parts.flair.string_embeddings import string_embeddings
from innermost.parts.flair.training import FlairPart, build, load
from innermost.training.settings.config import load_config

CPU = torch.device("cpu")
SENTENCES = [
    Sentence(["the", "mayor", "of", "Oslo"], []),
    Sentence(["nobody", "spoke"], []),
    Sentence(["rain"], []),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INNERMOST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Two folders whose models have different widths and characters."""
    torch.manual_seed(5)
    letters = [UNKNOWN, " ", "\n", *"abcdefghijklmnopqrstuvwxyz"]
    save_character_lms(tmp_path / "forward", [CharacterLM(letters, "forward", hidden=6)])
    save_character_lms(
        tmp_path / "backward", [CharacterLM([*letters, "O"], "backward", hidden=4, layers=2)]
    )
    return Settings(models=(str(tmp_path / "forward"), str(tmp_path / "backward")))


def built(settings: Settings) -> FlairPart:
    return build(settings, None, [], CPU)


def test_rows_are_the_words_in_packed_order(settings: Settings) -> None:
    part = built(settings)
    layout = Layout.of([4, 2, 1])
    items = part.features.prepare(SENTENCES)
    rows = part.module(part.features.collate(items, layout).to(CPU))
    assert rows.shape == (7, part.module.width) == (7, 10)
    plain = string_embeddings(part.features.models, [s.tokens for s in SENTENCES])
    for row, (sentence, token) in enumerate(zip(layout.sentence, layout.token, strict=True)):
        expected = plain[int(sentence)][int(token)]
        for columns in (slice(0, 6), slice(6, 10)):
            own = expected[columns]
            own = (own - own.mean()) / np.sqrt(own.var() + 1e-5)
            assert rows[row, columns].numpy() == pytest.approx(own, abs=1e-5)


def test_vectors_are_worked_out_once(
    settings: Settings, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = built(settings).features.prepare(SENTENCES)
    assert len(list(cache.glob("*.npy"))) == 1
    part = built(settings)
    monkeypatch.setattr(part.features, "computing", lambda _: pytest.fail("computed again"))
    for one, other in zip(first, part.features.prepare(SENTENCES), strict=True):
        assert np.array_equal(one, other)


def test_a_model_folder_holds_all_there_is_to_know(settings: Settings, tmp_path: Path) -> None:
    part = built(settings)
    part.save(tmp_path / "model")
    again = load(settings, tmp_path / "model", CPU)
    assert again.fingerprint == part.fingerprint
    assert again.module.width == part.module.width


def test_a_model_folder_without_its_language_models_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing or empty"):
        load(Settings(models=("absent",)), tmp_path, CPU)


def test_another_model_has_another_fingerprint(settings: Settings) -> None:
    swapped = Settings(models=settings.models[::-1])
    assert built(swapped).fingerprint != built(settings).fingerprint


def test_folders_in_a_configuration_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        '[encoder]\nkind = "stack"\n[encoder.flair]\nmodels = ["lms/forward", "lms/backward"]\n'
    )
    flair = load_config(tmp_path / "mine.toml").encoder.parts["flair"]
    assert flair.models == (str(tmp_path / "lms/forward"), str(tmp_path / "lms/backward"))
