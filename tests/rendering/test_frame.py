"""Entities as rows of pandas and polars."""

from __future__ import annotations

from typing import Any

import pytest

import innermost
from helpers.documents import document
from innermost.document import Document, Documents
from innermost.errors import UsageError
from innermost.rendering import frame as frames
from innermost.rendering.frame import COLUMNS, frame

DOCUMENTS = [
    document("abcdef", [(0, 6, "X"), (1, 3, "<Y>"), (1, 3, "X")], score=0.25),
    document("nothing"),
    document("gh", [(1, 2, "X")]),
]


@pytest.fixture(params=frames.LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    pytest.importorskip(name)
    return name


def _rows(table: Any, library: str) -> list[dict[str, Any]]:
    if library == "polars":
        rows: list[dict[str, Any]] = table.to_dicts()
        return rows
    objects = table.astype(object)
    records: list[dict[str, Any]] = objects.where(table.notna(), None).to_dict("records")
    return records


def test_one_document_is_accepted(library: str) -> None:
    table = innermost.frame(DOCUMENTS[0], ids=["a"], library=library)
    assert table.equals(innermost.frame(DOCUMENTS[:1], ids=["a"], library=library))
    assert len(table) == 3


@pytest.mark.parametrize("wrong", ["a text", ["a text"], 3])
def test_what_is_no_document(library: str, wrong: Any) -> None:
    with pytest.raises(UsageError, match="expected a Document, found"):
        innermost.frame(wrong, library=library)


def test_there_is_a_row_for_each_entity(library: str) -> None:
    table = innermost.frame(iter(DOCUMENTS), library=library)
    assert list(table.columns) == list(COLUMNS)
    assert _rows(table, library) == [
        {"doc": number} | entity.to_dict()
        for number, d in enumerate(DOCUMENTS)
        for entity in d.entities
    ]


def test_documents_can_have_ids(library: str) -> None:
    table = frame(DOCUMENTS, ids=["a", "b", "c"], library=library)
    assert [row["doc"] for row in _rows(table, library)] == ["a", "a", "a", "c"]
    with pytest.raises(UsageError, match=r"ids \(2\) is not that of the documents \(3\)"):
        frame(DOCUMENTS, ids=["a", "b"], library=library)


def test_without_entities_the_columns_have_the_same_types(library: str) -> None:
    some, none = (frame(d, library=library) for d in (DOCUMENTS, DOCUMENTS[1:2]))
    assert len(none) == 0
    assert list(none.dtypes) == list(some.dtypes)


def test_documents_and_lists_of_them_have_the_same(library: str) -> None:
    (row,) = _rows(DOCUMENTS[2].to_frame(library=library), library)
    assert (row["doc"], row["text"]) == (0, "h")
    rows = _rows(Documents(DOCUMENTS).to_frame(ids="xyz", library=library), library)
    assert [row["doc"] for row in rows] == ["x", "x", "x", "z"]


def test_what_is_installed_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pandas and polars are not installed"):
        frame(DOCUMENTS)
    with pytest.raises(UsageError, match="pip install polars"):
        frame(DOCUMENTS, library="polars")
    with pytest.raises(UsageError, match="one of: pandas, polars"):
        frame(DOCUMENTS, library="excel")
    pytest.importorskip("polars")
    monkeypatch.setattr(frames, "find_spec", lambda name: name if name == "polars" else None)
    assert type(frame(DOCUMENTS)).__module__.startswith("polars")


def test_a_repr_is_short() -> None:
    assert repr(DOCUMENTS[0]) == "<Document 'abcdef': 3 entities>"
    assert repr(DOCUMENTS[2]) == "<Document 'gh': 1 entity>"
    long = repr(Document("word \n" * 1_000, (), ()))
    assert long == f"<Document {('word ' * 8)[:39]!r}: 0 entities>".replace("': ", "…': ")
