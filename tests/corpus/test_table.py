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


def test_a_missing_column_is_one_error_not_one_per_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,body,entities\n" + "1,Paris,[]\n" * 30)
    with pytest.raises(DataError, match="there is no column 'text'") as error:
        list(corpus.read(path, format="table"))
    assert error.value.count == 1
    assert "the columns are: id, body, entities" in str(error.value)
