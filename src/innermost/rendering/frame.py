"""Entities as a table of pandas or polars, whichever is installed: one row per entity."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from innermost.errors import UsageError

if TYPE_CHECKING:
    from innermost.document import Document

LIBRARIES = ("pandas", "polars")
COLUMNS = ("doc", "start", "end", "label", "text", "level", "score", "parent")


def frame(
    documents: Document | Iterable[Document],
    *,
    ids: Iterable[Any] | None = None,
    library: str | None = None,
) -> Any:
    """All entities of the documents, or of one, with the keys of ``Entity.to_dict`` as columns.

    The column ``doc`` is the number of the document, or its id where ``ids`` are given. ``parent``
    counts the entities of the same document. ``library`` is ``pandas`` or ``polars``; without it,
    pandas if it is installed.
    """
    chosen = _library(library)
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for doc, document in _named(_series(documents), ids):
        if not hasattr(document, "entities"):
            raise UsageError(
                f"expected a Document, found {type(document).__name__}",
                hint="pass what the model returns: innermost.frame(nlp(texts))",
            )
        for entity in document.entities:
            for name, value in ({"doc": doc} | entity.to_dict()).items():
                columns[name].append(value)
    return _pandas(columns) if chosen == "pandas" else _polars(columns)


def _series(documents: Document | Iterable[Document]) -> Iterable[Document]:
    return documents if isinstance(documents, Iterable) else [documents]


def _named(
    documents: Iterable[Document], ids: Iterable[Any] | None
) -> Iterable[tuple[Any, Document]]:
    if ids is None:
        return enumerate(documents)
    names, listed = list(ids), list(documents)
    if len(names) != len(listed):
        raise UsageError(
            f"the number of ids ({len(names)}) is not that of the documents ({len(listed)})"
        )
    return zip(names, listed, strict=True)


def _library(library: str | None) -> str:
    if library is not None and library not in LIBRARIES:
        raise UsageError(f"library is {library!r}", hint=f"one of: {', '.join(LIBRARIES)}")
    wanted: Sequence[str] = LIBRARIES if library is None else (library,)
    for name in wanted:
        if find_spec(name) is not None:
            return name
    raise UsageError(
        f"{' and '.join(wanted)} {'is' if library else 'are'} not installed",
        hint=f"pip install {wanted[0]}",
    )


def _pandas(columns: dict[str, list[Any]]) -> Any:
    pandas = import_module("pandas")
    types = _types(columns, "int64", "float64", "str") | {"parent": "Int64"}
    return pandas.DataFrame(
        {name: pandas.Series(values, dtype=types.get(name)) for name, values in columns.items()}
    )


def _polars(columns: dict[str, list[Any]]) -> Any:
    polars = import_module("polars")
    types = _types(columns, polars.Int64, polars.Float64, polars.String)
    return polars.DataFrame(columns, schema_overrides=types)


def _types(columns: dict[str, list[Any]], integer: Any, number: Any, string: Any) -> dict[str, Any]:
    """The same whether there are entities or not; ids may be of any type."""
    types = dict.fromkeys(("start", "end", "level", "parent"), integer)
    types |= {"score": number, "label": string, "text": string}
    return types if columns["doc"] else {"doc": integer, **types}
