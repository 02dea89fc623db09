"""Folders that are damaged, not models, or from a newer version; finding models by name."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import innermost
from innermost.errors import ModelError
from innermost.export.folder import export
from innermost.model_folder import installed, manifest


def truncate(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return change


def replace(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def array(name: str, value: np.ndarray) -> Callable[[Path], None]:
    return lambda folder: np.save(folder / name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (replace("model.toml", "format = 1", "format = 99"), "format 99; this version reads up"),
        (replace("model.toml", '"wordchar"', '"telepathy"'), "telepathy"),
        (replace("model.toml", "types", "typos"), "types"),
        (
            replace("model.toml", '"Z"', '"Z", "W"'),
            r"\(1, 3, 1, 5\), expected \(1, 4, 1, 5\)",
        ),
        (truncate("encoder.onnx"), "encoder.onnx is damaged"),
        (truncate("vocabulary.json"), "vocabulary.json is damaged"),
        (truncate("characters.npy"), "characters.npy is damaged"),
        (truncate("trained.npy"), "trained.npy is damaged"),
        (array("vectors.npy", np.zeros((3, 10), np.float16)), r"expected \[8, any\]"),
        (array("trained.npy", np.zeros((3, 4), np.float32)), "have 10 numbers, expected 4"),
        (array("trained.npy", np.zeros((3, 10), np.int8)), "has no trained-scales.npy"),
        (array("characters.npy", np.zeros((3, 5, 7), np.float32)), "characters.npy is damaged"),
        (array("trained.npy", np.array([["x"]])), "it has <U1"),
        *(
            (lambda f, n=n: (f / n).unlink(), rf"(has|but) no {n}")
            for n in (
                "model.toml",
                "encoder.onnx",
                "vocabulary.json",
                "characters.npy",
                "trained.npy",
                "vectors.npy",
            )
        ),
    ],
)
def test_damaged_folders_are_model_errors(
    random_folder: Path, tmp_path: Path, change: Callable[[Path], None], message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(random_folder, folder)
    (folder / manifest.FILE).unlink()
    change(folder)
    with pytest.raises(ModelError, match=message):
        innermost.load(folder)


def test_pickles_are_refused(random_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(random_folder, folder)
    (folder / manifest.FILE).unlink()
    np.save(folder / "trained.npy", np.array([[object()]]), allow_pickle=True)
    with pytest.raises(ModelError, match=r"trained\.npy is damaged: it has object"):
        innermost.load(folder)


def test_models_are_found_by_name(
    random_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "MODELS", tmp_path)
    with pytest.raises(ModelError, match="no model is installed"):
        innermost.load()
    export(random_folder, tmp_path / "rivers")
    assert innermost.load("rivers").types == ["X", "Y", "Z"]
    assert innermost.load().folder == tmp_path / "rivers"
    with pytest.raises(ModelError, match="did you mean 'rivers'"):
        innermost.load("river")
    with pytest.raises(ModelError, match="installed: rivers"):
        innermost.load("xyz")


def test_the_folder_of_a_run_will_do(toy_model: Path) -> None:
    assert innermost.load(toy_model.parent).folder == toy_model


def test_prediction_imports_no_torch(random_folder: Path) -> None:
    program = (
        "import sys, innermost; before = set(sys.modules); "
        f"d = innermost.load({str(random_folder)!r})('the river bank of the north sea'); "
        "print(len(d.entities), 'torch' in sys.modules, 'onnx' in sys.modules, "
        "sorted({'numpy', 'onnxruntime', 'msgspec', 'rich'} & before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    count, *rest = done.stdout.split(maxsplit=1)
    assert int(count) > 0
    assert rest == ["False False []\n"]
