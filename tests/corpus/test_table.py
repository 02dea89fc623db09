"""Tables of texts: a damaged column of entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost import corpus
from innermost.errors import DataError


@pytest.mark.parametrize(
    "entities", ["[" * 3000, '"[{""a"":' + "[" * 3000 + '"', "[{]", "nonsense"]
)
def test_entities_that_are_not_json_are_an_error_with_the_line(
    tmp_path: Path, entities: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text,entities\nBob left,[]\nAda left,{entities}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.csv:3: the column 'entities' is not JSON"):
        list(corpus.read(path))
