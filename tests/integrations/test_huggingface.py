"""Models travel through the Hub; entities have the shape of its pipelines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("huggingface_hub", reason="needs the extra hub")
from helpers.stub_hub import COMMIT, StubHub, stub_hub
from innermost import Model, load
from innermost.errors import InnermostWarning, ModelError, UsageError
from innermost.integrations.huggingface import hub_card, token_classification
from innermost.model_folder.info import read_info, write_info
from innermost.model_folder.manifest import verify

TEXT = "the river bank of the north sea"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StubHub]:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with stub_hub() as server:
        yield server


def test_what_was_pushed_comes_back(
    random_model: Model, hub: StubHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        # Versions before 1 parse addresses of this endpoint only.
        patch.setattr("huggingface_hub.constants.ENDPOINT", hub.endpoint)
        address = random_model.push_to_hub("me/mine", endpoint=hub.endpoint, token="hf_x")
    assert COMMIT in address
    files = hub.files["me/mine"]
    assert {"model.toml", "encoder.onnx", "SHA256SUMS", "README.md"} <= set(files)
    assert not [name for name in files if name.endswith(".safetensors")]
    card = files["README.md"].decode()
    assert card.startswith("---\n")
    assert "library_name: innermost" in card
    assert "model-index:" in card
    copy = Model.from_pretrained("me/mine", endpoint=hub.endpoint, threads=1)
    assert copy(TEXT).entities
    assert copy(TEXT) == random_model(TEXT)
    verify(copy.folder)


def test_licenses_of_the_models_that_it_comes_from_are_a_warning(
    random_folder: Path, hub: StubHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(random_folder, tmp_path / "model")
    start = {"name": "multilingual", "license": "CC-BY-SA-4.0"}
    info = msgspec.structs.replace(read_info(folder), training={"start": start})
    write_info(folder, info)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.endpoint)
    with pytest.warns(InnermostWarning, match=r"started from multilingual \(CC-BY-SA-4\.0\)"):
        load(folder).push_to_hub("me/mine", endpoint=hub.endpoint, token="hf_x")
    assert "model.toml" in hub.files["me/mine"]


def test_scores_from_before_an_export_are_not_pushed(toy_model: Path, tmp_path: Path) -> None:
    from innermost.export.folder import export  # needs onnx

    assert "name: strict f1" in hub_card(load(toy_model))
    small = hub_card(load(export(toy_model, tmp_path / "small", int8=True)))
    assert "strict f1" not in small
    assert "Exported with int8 weights; the figures here are those of the model before" in small


def test_options_of_load_and_local_folders(random_model: Model) -> None:
    local = Model.from_pretrained(str(random_model.folder), types=["X"], threads=1)
    assert local.types == ["X"]


def test_a_run_is_a_local_folder_too(random_model: Model, tmp_path: Path) -> None:
    shutil.copytree(random_model.folder, tmp_path / "run" / "model")
    local = Model.from_pretrained(str(tmp_path / "run"), threads=1)
    assert local.types == random_model.types
    with pytest.raises(UsageError, match="revision is for models of the Hub"):
        Model.from_pretrained(str(tmp_path / "run"), revision="main")


def test_a_repository_that_is_not_there(hub: StubHub) -> None:
    with pytest.raises(ModelError, match="nobody/nothing cannot be downloaded"):
        Model.from_pretrained("nobody/nothing", endpoint=hub.endpoint)
    for missing in ("./nosuch", "/no/such/folder"):
        with pytest.raises(ModelError, match=f"there is no folder {missing}"):
            Model.from_pretrained(missing, endpoint=hub.endpoint)
    with pytest.raises(ModelError, match=r"innermost\.load\('litbank'\) opens it"):
        Model.from_pretrained("litbank", endpoint=hub.endpoint)
    assert not [request for request in hub.requests if "nobody" not in request]


def test_what_cannot_be_pushed(random_model: Model) -> None:
    with pytest.raises(ModelError, match="cannot be uploaded to a/b/c: Repo id must"):
        random_model.push_to_hub("a/b/c", token="hf_x")
    with pytest.raises(ModelError, match="cannot be uploaded to me/mine"):
        random_model.push_to_hub("me/mine", endpoint="http://127.0.0.1:9", token="hf_x")


def test_entities_in_the_shape_of_a_pipeline(random_model: Model) -> None:
    document = random_model(TEXT)
    rows = token_classification(document)
    assert len(rows) == len(document.entities) > 0
    for row, entity in zip(rows, document.entities, strict=True):
        assert list(row) == ["entity_group", "score", "word", "start", "end", "level", "parent"]
        assert (row["word"], row["entity_group"]) == (entity.text, entity.label)
        assert TEXT[row["start"] : row["end"]] == row["word"]
        assert (row["score"], row["level"], row["parent"]) == (
            entity.score,
            entity.level,
            entity.parent,
        )
