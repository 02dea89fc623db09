"""Tables of texts: a damaged column of entities, a missing one, broken quotes."""

from __future__ import annotations

from pathlib import Path

import pytest

from innermost import corpus
from innermost.corpus import Report
from innermost.errors import DataError
from innermost.nest import Span


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


def test_lists_as_python_prints_them_are_an_error_that_says_how_to_write_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,entities\nBob left,\"[{'start': 0, 'end': 3, 'label': 'PER'}]\"\n")
    with pytest.raises(DataError, match="is not JSON") as error:
        list(corpus.read(path))
    assert 'df.to_json("data.jsonl", orient="records", lines=True)' in str(error.value)


def test_a_column_without_a_name_is_an_error_that_says_so(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",text,entities\n0,Bob left,[]\n")
    with pytest.raises(DataError, match="column 1 has no name: , text, entities") as error:
        list(corpus.read(path))
    assert "index=False" in str(error.value)


def test_entities_on_rows_of_their_own_are_pointed_out_once(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,start,end,label\n" + "Bob left,0,3,PER\n" * 5)
    report = Report()
    assert len(list(corpus.read(path, format="table", report=report))) == 5
    assert report.counts["odd", "one entity per row"] == 1


def test_a_missing_column_is_one_error_not_one_per_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,body,entities\n" + "1,Paris,[]\n" * 30)
    with pytest.raises(DataError, match="there is no column 'text'") as error:
        list(corpus.read(path, format="table"))
    assert error.value.count == 1
    assert "the columns are: id, body, entities" in str(error.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('1,fine\n2,"open\n3,more\n', r"a\.csv:3: the quote that opens here is not closed"),
        ('1,"a\nb"\n2,"open', r"a\.csv:4: the quote that opens here is not closed"),
        (
            '1,"open\n2,x\n3,"fine"\n',
            r"a\.csv:2: the quote that opens here is closed in line 4, before the end",
        ),
    ],
)
def test_a_quote_that_is_not_closed_is_located(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,text\n{rows}")
    with pytest.raises(DataError, match=message) as error:
        list(corpus.read(path, format="table"))
    assert "quotes inside them are doubled" in str(error.value)


def test_a_row_of_another_length_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text,note\n1\n2,x\n3,x,y\n")
    with pytest.raises(DataError) as error:
        list(corpus.read(path, format="table"))
    assert [problem.message for problem in error.value.problems] == [
        "the row has 1 field, the header has 3",
        "the row has 2 fields, the header has 3",
    ]


def test_a_parquet_table_with_its_texts_in_another_column_is_a_table(tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet, table

    entities = [[{"start": 0, "end": 4, "label": "protein"}]]
    rows = table({"abstract": ["IL-2 genes"], "entities": entities})
    parquet.write_table(rows, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="there is no column 'text'"):
        list(corpus.read(tmp_path / "a.parquet"))
    (sentence,) = corpus.read(
        tmp_path / "a.parquet", options=corpus.Options(settings={"text": "abstract"})
    )
    assert [tuple(e) for e in sentence.entities] == [(0, 3, "protein")]


def test_scores_after_a_document_without_any_are_written(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    bob = Span(0, 1, "PER")
    first = [corpus.Sentence(["Ann"], [bob], doc=f"a{n}") for n in range(3)]
    last = corpus.Sentence(["Bob"], [bob], doc="b", scores={bob: 0.5}, extra={"topic": "x"})
    report = corpus.Report()
    corpus.write([*first, last], tmp_path / "a.parquet", format="parquet", report=report)
    assert not report.total("lost")
    *_, again = corpus.read(tmp_path / "a.parquet", format="parquet")
    assert (again.scores, again.extra) == ({bob: 0.5}, {"topic": "x"})
    assert parquet.ParquetFile(tmp_path / "a.parquet").num_row_groups == 1
