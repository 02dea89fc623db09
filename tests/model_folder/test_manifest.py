"""A folder with a file that is not as exported is refused, and the file named."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

import innermost
from innermost.errors import ModelError
from innermost.model_folder import manifest
from innermost.model_folder.info import read_info, write_info
from innermost.model_folder.installed import installed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A shipped model."""
    return Path(shutil.copytree(installed()["genia"], tmp_path / "model"))


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", installed())
def test_shipped_models_are_as_they_were_exported(name: str) -> None:
    manifest.verify(installed()[name])


NAMES = sorted(path.name for path in installed()["genia"].iterdir() if path.name != manifest.FILE)


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_of_any_file_is_noticed(name: str, folder: Path) -> None:
    _flip(folder / name)
    with pytest.raises(ModelError, match=rf"{name} is damaged"):
        manifest.verify(folder)
    if Path(name).suffix in (".onnx", ".npy", ".json", ".toml"):
        with pytest.raises(ModelError, match=rf"{name} is damaged"):
            innermost.load(folder)


def test_sha256sum_agrees(folder: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("needs sha256sum")
    command = ["sha256sum", "--check", "--strict", manifest.FILE]
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
    _flip(folder / "vectors.npy")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1


def test_a_file_that_is_not_listed_is_not_read(folder: Path) -> None:
    path = folder / manifest.FILE
    kept = [line for line in path.read_text().splitlines() if "trained.npy" not in line]
    path.write_text("\n".join(kept))
    with pytest.raises(ModelError, match=r"SHA256SUMS is damaged: it does not list trained\.npy"):
        innermost.load(folder)


@pytest.mark.parametrize(
    "line",
    [
        "encoder.onnx",
        f"{'a' * 63}  encoder.onnx",
        f"{'a' * 64} encoder.onnx",
        f"{'a' * 64}  /etc/passwd",
        f"{'a' * 64}  ../x",
        f"{'a' * 64}  flair/../../x",
        f"{'a' * 64}  C:x",
        f"{'a' * 64}  model.toml",
        "",
    ],
)
def test_checksums_that_are_none_are_refused(line: str, folder: Path) -> None:
    path = folder / manifest.FILE
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(ModelError, match="SHA256SUMS is damaged: line 11"):
        innermost.load(folder)


def test_a_folder_without_checksums_is_read(folder: Path) -> None:
    manifest.remove_manifest(folder)
    assert innermost.load(folder).types == read_info(installed()["genia"]).types


def test_a_shipped_model_without_checksums_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest.remove_manifest(folder)
    monkeypatch.setattr("innermost.model_folder.installed.MODELS", folder.parent)
    for name in (None, "model"):
        with pytest.raises(ModelError, match="has no SHA256SUMS"):
            innermost.load(name)


def test_a_changed_description_gets_a_new_checksum(folder: Path) -> None:
    write_info(folder, msgspec.structs.replace(read_info(folder), temperature=2.0))
    manifest.verify(folder)
    assert innermost.load(folder).info.temperature == 2


def test_a_change_does_not_bless_other_files(folder: Path) -> None:
    _flip(folder / "vectors.npy")
    write_info(folder, read_info(folder))
    with pytest.raises(ModelError, match=r"vectors\.npy is damaged"):
        innermost.load(folder)


def test_files_in_folders_are_listed_and_hidden_ones_are_not(tmp_path: Path) -> None:
    for name in ("model.toml", "flair/0/chars.json", ".x.toml", ".git/a.json", "notes.pdf"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    manifest.write_manifest(tmp_path)
    lines = (tmp_path / manifest.FILE).read_text().splitlines()
    assert [line.split("  ")[1] for line in lines] == ["flair/0/chars.json", "model.toml"]
    manifest.verify(tmp_path)
    assert manifest.read_file(tmp_path / "flair/0/chars.json", 100) == b"flair/0/chars.json"
    (tmp_path / "flair/0/chars.json").write_text("other")
    with pytest.raises(ModelError, match=r"chars\.json is damaged"):
        manifest.read_file(tmp_path / "flair/0/chars.json", 100)
    (tmp_path / "flair/0/forward.onnx").write_text("new")
    with pytest.raises(ModelError, match=r"does not list flair/0/forward\.onnx"):
        manifest.read_file(tmp_path / "flair/0/forward.onnx", 100)


def test_checksums_of_another_folder_do_not_matter(tmp_path: Path, folder: Path) -> None:
    (tmp_path / manifest.FILE).write_text(f"{'a' * 64}  data.zip\n")
    manifest.remove_manifest(folder)
    assert innermost.load(folder).types
