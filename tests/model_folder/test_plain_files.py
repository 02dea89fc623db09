"""Only plain files inside a model folder are read, of a bounded size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from innermost.errors import ModelError
from innermost.files.lock import locked
from innermost.model_folder.plain_files import check_link, read_plain

DEVICES = [name for name in ("/dev/zero", "/dev/null", "/proc/self/mem") if os.path.exists(name)]  # noqa: PTH110


def test_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    assert read_plain(tmp_path / "x", 3) == b"abc"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ModelError, match="1,099,511,627,776 bytes, more than the 1,000 allowed"):
        read_plain(tmp_path / "x", 1_000)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    with pytest.raises(ModelError, match="not a plain file"):
        read_plain(tmp_path / "x", 1_000)


@pytest.mark.parametrize("device", DEVICES)
def test_devices_are_refused(device: str, tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to(device)
    with pytest.raises(ModelError, match=r"not a plain file|leads out of its folder"):
        read_plain(tmp_path / "x", 1_000)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a plain file"):
        read_plain(tmp_path, 1_000)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not complete: it has no x\.npy"):
        read_plain(tmp_path / "x.npy", 1_000)


def test_the_folder_of_an_interrupted_training_says_how_to_go_on(tmp_path: Path) -> None:
    model = tmp_path / "run" / "model"
    model.mkdir(parents=True)
    (model / "weights.safetensors").touch()
    with pytest.raises(ModelError) as caught:
        read_plain(model / "x.npy", 1_000)
    run = f"the training in {tmp_path / 'run'} was interrupted: resume it with the same command"
    assert caught.value.message == f"{run} and --resume"
    assert f"innermost export {model} OUT" in str(caught.value.hint)


def test_the_folder_of_a_running_training_says_so(tmp_path: Path) -> None:
    model = tmp_path / "run" / "model"
    model.mkdir(parents=True)
    (model / "weights.safetensors").touch()
    with locked(model.parent), pytest.raises(ModelError) as caught:
        read_plain(model / "x.npy", 1_000)
    run = f"the training in {tmp_path / 'run'} has not finished: wait for its end"
    assert caught.value.message == run
    assert f"innermost export {model} OUT" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b"])
def test_impossible_names_are_model_errors(name: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_plain(tmp_path / name, 1_000)


def test_links_stay_inside(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "a").write_bytes(b"inside")
    (tmp_path / "b").write_bytes(b"outside")
    (model / "near").symlink_to("a")
    (model / "far").symlink_to("../b")
    (model / "absolute").symlink_to(tmp_path / "b")
    (model / "twice").symlink_to("far")
    (model / "loop").symlink_to("loop")
    assert read_plain(model / "near", 100) == b"inside"
    for name in ("far", "absolute", "twice"):
        with pytest.raises(ModelError, match="leads out of its folder"):
            read_plain(model / name, 100)
    with pytest.raises(ModelError, match="cannot be read"):
        read_plain(model / "loop", 100)


def test_a_link_to_the_folder_itself_is_fine(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "a").write_bytes(b"x")
    (tmp_path / "current").symlink_to("v1")
    assert read_plain(tmp_path / "current" / "a", 100) == b"x"


def test_folders_that_are_links_stay_inside(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "flair").symlink_to("../elsewhere")
    with pytest.raises(ModelError, match="leads out of its folder"):
        check_link(tmp_path / "model" / "flair")


def test_the_cache_of_the_hub_is_made_of_links(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--x" / "snapshots" / "abc"
    blobs = tmp_path / "models--x" / "blobs"
    (snapshot / "flair" / "0").mkdir(parents=True)
    blobs.mkdir()
    (blobs / "0f").write_bytes(b"blob")
    (tmp_path / "models--x" / "secret").write_bytes(b"secret")
    (snapshot / "a").symlink_to("../../blobs/0f")
    (snapshot / "flair" / "0" / "b").symlink_to("../../../../blobs/0f")
    (snapshot / "c").symlink_to("../../secret")
    assert read_plain(snapshot / "a", 100) == b"blob"
    assert read_plain(snapshot / "flair" / "0" / "b", 100) == b"blob"
    with pytest.raises(ModelError, match="leads out of its folder"):
        read_plain(snapshot / "c", 100)


def test_installed_packages_may_be_links(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "innermost"
    package.mkdir(parents=True)
    (tmp_path / "cache").write_bytes(b"x")
    (package / "a").symlink_to(tmp_path / "cache")
    assert read_plain(package / "a", 100) == b"x"
