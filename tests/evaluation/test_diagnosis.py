"""``innermost doctor``: what is sound passes, what is broken is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from helpers.cli import innermost, ok
from innermost._toml import loads
from innermost.evaluation import diagnosis
from innermost.evaluation.diagnosis import EXTRAS, KNOWN, cpu_features, examine
from innermost.model_folder import installed
from innermost.model_folder.installed import OURS, InstalledModel, installed_models

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round of measuring is enough."""
    monkeypatch.setattr(diagnosis, "_SECONDS", 0.0)
    monkeypatch.setattr(diagnosis, "_REPEATS", 2)


def test_this_installation_is_sound() -> None:
    result = ok("doctor", "--json").json
    assert result["problems"] == []
    models = {model["name"]: model for model in result["models"]}
    assert set(KNOWN) <= set(models)
    for name in KNOWN:
        assert models[name]["known_answers"] is True
        assert models[name]["tokens_per_second"] > 0
    assert models["genia"]["tokens_per_second_on_card"] > 1_000


def test_every_shipped_model_has_known_answers() -> None:
    assert {model.name for model in installed_models() if model.package == OURS} == set(KNOWN)


def test_it_fits_one_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "KNOWN", {})
    shown = ok("doctor").out
    assert len(shown.splitlines()) < 24
    assert "known answers" not in shown
    assert "no problems" in shown


def test_extras_are_those_of_the_package() -> None:
    project = loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"dev", "test"}


def test_a_wrong_answer_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    (model,) = (m for m in installed_models() if m.name == "litbank")
    text, answers = KNOWN["litbank"]
    monkeypatch.setitem(KNOWN, "litbank", (text, answers[:-1]))
    assert "not its known answer" in str(examine(model).problem)
    changed = [(*answers[0][:2], 0.5), *answers[1:]]
    monkeypatch.setitem(KNOWN, "litbank", (text, changed))
    health = examine(model)
    assert health.known_answers is False
    assert f"is {answers[0][2]:.2f}" in str(health.problem)


def test_a_damaged_file_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (model,) = (m for m in installed_models() if m.name == "litbank")
    folder = tmp_path / "litbank"
    shutil.copytree(model.folder, folder)
    (folder / "characters.npy").write_bytes(b"no")
    assert "characters.npy" in str(examine(InstalledModel("litbank", folder, OURS)).problem)
    monkeypatch.setattr(installed, "MODELS", tmp_path)
    done = innermost("doctor")
    assert done.code == 1
    assert "problem: litbank" in done.out


def test_without_models_nothing_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "MODELS", tmp_path)
    assert innermost("doctor", "--json").json["problems"] == ["no model is installed"]


def test_features_are_read_from_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpus = tmp_path / "cpuinfo"
    monkeypatch.setattr(diagnosis, "_CPUS", cpus)
    assert cpu_features() is None
    cpus.write_text("processor\t: 0\nflags\t\t: fpu avx avx2 avx512_vnni x\n")
    assert cpu_features() == ["avx", "avx2", "avx512_vnni"]
    cpus.write_text("processor: 0\nFeatures\t: fp asimd asimddp\n")
    assert cpu_features() == ["asimddp"]
