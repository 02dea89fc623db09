from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the models of these tests are made with torch")

from innermost.export.folder import export
from innermost.runtime import load
from innermost.runtime.model import Model
from runtime.model_folders import write_random_model


@pytest.fixture(scope="session")
def random_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(write_random_model(tmp_path_factory.mktemp("random")))


@pytest.fixture(scope="session")
def random_model(random_folder: Path) -> Model:
    return load(random_folder, threads=1)


@pytest.fixture(scope="session")
def toy(toy_model: Path) -> Model:
    return load(toy_model, threads=1)
