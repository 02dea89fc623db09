"""Where another node has another version of a model, it is refused. Runs without a cluster."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from innermost import load
from innermost.errors import ModelError
from innermost.integrations import columns, spark
from innermost.integrations.columns import PortableModel, portable_name

pyarrow = pytest.importorskip("pyarrow", reason="needs the extra frames")


class Frame:
    """What ``extract`` uses of a Spark DataFrame: it keeps the function for the executors."""

    columns = ("id", "text")

    @property
    def schema(self) -> dict[str, Any]:
        text = SimpleNamespace(simpleString=lambda: "string")
        return {name: SimpleNamespace(dataType=text) for name in self.columns}

    def select(self, *names: str) -> Frame:
        return self

    def mapInArrow(self, function: Callable[[Any], Iterator[Any]], schema: str) -> Any:  # noqa: N802
        return function


@pytest.fixture
def folder(tmp_path: Path, random_folder: Path) -> Path:
    folder = Path(shutil.copytree(random_folder, tmp_path / "model"))
    (folder / "SHA256SUMS").unlink()
    return folder


def change(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def test_a_model_is_the_same_whatever_its_card_says(folder: Path) -> None:
    portable = pickle.loads(pickle.dumps(PortableModel.of(folder)))
    (folder / "README.md").write_text("# Another card\n", encoding="utf-8")
    assert portable.locate() == folder
    change(folder / "model.toml")
    with pytest.raises(ModelError, match=r"another model on this node: [0-9a-f]{12}, not") as error:
        portable.locate()
    assert "install the same version" in (error.value.hint or "")


def test_spark_executors_with_another_version_are_refused(folder: Path) -> None:
    text = "the gene of NF-kB"
    batch = pyarrow.record_batch([[1], [text]], names=["id", "text"])
    unchanged, changed = (spark.extract(Frame(), model=folder) for _ in range(2))  # type: ignore[arg-type]
    (result,) = unchanged(iter([batch]))
    assert result.column("entities").to_pylist() == [load(folder)(text).to_dict()["entities"]]
    spark._worker.cache_clear()  # as in another Python process
    change(folder / "model.toml")
    with pytest.raises(ModelError, match="another model on this node"):
        list(changed(iter([batch])))


def test_models_of_packages_are_named_by_their_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert portable_name(folder) == str(folder)
    monkeypatch.setattr(columns, "installed", lambda: {"letters": folder})
    assert portable_name(folder) == "letters"
    assert portable_name("genia") == str(load("genia").folder)
