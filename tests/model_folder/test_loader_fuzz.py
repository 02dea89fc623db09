"""Damaged model folders: refused with a message, or usable like any model.

`INNERMOST_FUZZ=100000 pytest tests/model_folder -k fuzz` tries that many.
"""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch", reason="the models of these tests are made with torch")
pytest.importorskip("onnx", reason="the models of these tests are made with onnx")
pytest.importorskip("transformers", reason="needs the transformers library")

from helpers.fuzzed_folders import write_folders
from innermost.document import Document
from innermost.errors import InnermostError, InnermostWarning, ModelError
from innermost.model_folder import manifest
from innermost.runtime import load
from model_folder.mutations import mutated

TEXTS = ["the river bank of the north sea", "alpha of NF-kB\n\nZürich", "x" * 300 + " the bank", ""]
NASTY = [
    *(b"nan", b"inf", b"-1", b"1e400", b"0", b"9" * 5_000, b"true", b"null", b'""', b"[]", b"{}"),
    *(
        b"[" * 2_000,
        b"{" * 2_000,
        b'{"a":' * 2_000,
        b"\\u0000",
        b"\\ud800",
        b"\x1b[2J",
        b"\xff\xfe",
    ),
    *(b"(1, 2)", b"(10, 999999999999)", b"True", b"'|O'", b"'>f4'", b"'<f8'"),
]


class Folders:
    """Each model with its files, and a folder for damaged copies."""

    def __init__(self, folder: Path) -> None:
        self.sources = list(write_folders(folder))
        self.files = {
            source: {
                path.relative_to(source).as_posix(): path.read_bytes()
                for path in sorted(source.rglob("*"))
                if path.is_file() and path.name != manifest.FILE
            }
            for source in self.sources
        }
        self._scratch = folder / "scratch"

    @contextmanager
    def damaged(self, source: Path, name: str, data: bytes | None, *, sums: bool) -> Iterator[Path]:
        """A copy with ``data`` in one file; ``None``: without the file."""
        folder = Path(shutil.copytree(source, self._scratch))
        try:
            if not sums:
                manifest.remove_manifest(folder)
            (folder / name).unlink()
            if data is not None:
                (folder / name).write_bytes(data)
            yield folder
        finally:
            shutil.rmtree(folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    return Folders(tmp_path_factory.mktemp("folders"))


@st.composite
def _contents(draw: st.DrawFn, files: dict[str, bytes], name: str) -> bytes | None:
    how = draw(st.sampled_from(("bytes", "bytes", "nasty", "swapped", "tiny", "huge", "gone")))
    if how == "bytes":
        return draw(mutated([files[name]]))
    if how == "nasty":
        data = files[name]
        start = draw(st.integers(0, min(len(data), 2_000)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        return data[:start] + draw(st.sampled_from(NASTY)) + data[end:]
    if how == "swapped":
        return files[draw(st.sampled_from(sorted(files)))]
    if how == "tiny":
        return draw(st.binary(max_size=16))
    if how == "huge":
        return files[name] + draw(st.sampled_from((b"\0", b" ", b"\n", b"a"))) * (1 << 21)
    return None


def _check(document: Document) -> None:
    for entity in document.entities:
        assert 0 <= entity.start < entity.end <= len(document.text)
        assert document.text[entity.start : entity.end] == entity.text
        assert math.isfinite(entity.score)
        assert 0 <= entity.score <= 1


@given(data=st.data())
def test_a_damaged_folder_is_refused_or_answers(folders: Folders, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(folders.sources))
    files = folders.files[source]
    name = data.draw(st.sampled_from(sorted(files)))
    contents = data.draw(_contents(files, name))
    with folders.damaged(source, name, contents, sums=False) as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", InnermostWarning)
        try:
            documents = load(folder, threads=1)(TEXTS)
        except InnermostError:
            return
    for text, document in zip(TEXTS, documents, strict=True):
        assert document.text == text
        _check(document)


@given(data=st.data())
def test_checksums_notice_every_damage(folders: Folders, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(folders.sources))
    files = folders.files[source]
    name = data.draw(st.sampled_from(sorted(files)))
    contents = data.draw(_contents(files, name))
    if contents == files[name]:
        return
    with (
        folders.damaged(source, name, contents, sums=True) as folder,
        pytest.raises(ModelError, match=Path(name).name),
    ):
        load(folder, threads=1)
