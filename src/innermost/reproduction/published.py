"""The paper's figures, and the corpora they belong to."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any

from innermost import _toml

SPLITS = ("train", "dev", "test")

_ACE_TYPES = frozenset({"FAC", "GPE", "LOC", "ORG", "PER", "VEH", "WEA"})
_TYPES = {
    "GENIA": frozenset({"DNA", "RNA", "protein", "cell_line", "cell_type"}),
    "CoNLL-2003": frozenset({"LOC", "MISC", "ORG", "PER"}),
}


@cache
def paper() -> dict[str, Any]:
    """``published.toml``: by table, then by corpus or as a list of rows."""
    text = (files("innermost.reproduction") / "published.toml").read_text(encoding="utf-8")
    figures: dict[str, Any] = _toml.loads(text)
    return figures


def corpus_name(types: Collection[str], table: str) -> str | None:
    """The corpus of the paper with these types, or None if there is none.

    The two ACE corpora have the same types: Table 8 is on 2004, the others on 2005.
    """
    labels = frozenset(types)
    if labels == _ACE_TYPES:
        return "ACE-2004" if table == "table8" else "ACE-2005"
    return next((name for name, known in _TYPES.items() if known == labels), None)


def test_mentions(corpus: str | None) -> int | None:
    """The number of mentions in the paper's test set, if it says so."""
    figures = paper()["table1"].get(corpus)
    return None if figures is None else int(figures["mentions"][SPLITS.index("test")])


def mean_of(cell: str) -> float:
    """The number of a printed score: ``78.70 ± 0.69`` is 78.70."""
    return float(cell.partition("±")[0])
