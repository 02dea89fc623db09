"""Rows that cannot be predicted are rejected with their place; all others are predicted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from helpers.bulk import SMALL_BLOCKS, contents, random_text, read_json_lines, run
from innermost.bulk.settings import Settings
from innermost.document import Document
from innermost.errors import DataError
from innermost.runtime.pipeline import Pipeline

LONG = 20_000_000


def rejects(output: Path) -> list[tuple[str, int, object, str]]:
    rows = read_json_lines(output / "rejects.jsonl")
    return [(Path(row["file"]).name, row["row"], row["id"], row["reason"]) for row in rows]


def check_counts(output: Path) -> dict[str, int]:
    manifest = json.loads((output / "manifest.json").read_bytes())
    counts: dict[str, int] = manifest["counts"]
    assert counts["rows"] == counts["written"] + counts["rejected"]
    for name in ("rows", "written", "rejected", "entities"):
        assert counts[name] == sum(shard[name] for shard in manifest["shards"])
    assert counts["rejected"] == len(rejects(output))
    return counts


def test_json_lines(tmp_path: Path, random_folder: Path) -> None:
    lines = [
        b'{"id": 1, "text": "the gene"}',
        b'{"id": 2, "text": "\xff\xfe"}',
        b'{"id": 3, "text": null}',
        b'{"id": 4, "text": "' + b"a" * LONG + b'"}',
        b'{"id": 5, "text": 7}',
        b"",
        b'{"id": 6}',
        b"[1, 2]",
        b'{"id": 7, "text": "cut',
        b'{"id": 8, "text": "", "huge": 123456789012345678901234567890, "x": 1.0}',
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    run([tmp_path / "a.jsonl"], tmp_path / "out", random_folder)
    assert [(row, id) for _, row, id, _ in rejects(tmp_path / "out")] == [
        (2, None),
        (3, 3),
        (4, None),
        (5, 5),
        (7, 6),
        (8, None),
        (9, None),
    ]
    reasons = [reason for *_, reason in rejects(tmp_path / "out")]
    assert "0xff" in reasons[0]
    assert reasons[1] == "the text is null"
    assert reasons[2] == "the row is longer than 10,000,000 bytes"
    assert reasons[3] == "the text is a number, not a string"
    assert check_counts(tmp_path / "out")["rows"] == 9  # an empty line is not a row
    written = read_json_lines(tmp_path / "out" / "a.jsonl")
    assert [row["id"] for row in written] == [1, 8]
    # Other columns are copied unchanged, digit by digit.
    assert b'"huge":123456789012345678901234567890,"x":1.0' in contents(tmp_path / "out")["a.jsonl"]


def test_csv(tmp_path: Path, random_folder: Path) -> None:
    lines = [
        b"id,text,note",
        b'1,"the gene, of\r\nalpha",x',
        b"2,\xff,x",
        b"3,too,many,fields",
        b"too few",
        b'4,"' + b"a" * LONG + b'",x',
        b"5,bank,\xe4",
        b'6,a "quoted" word,x',
    ]
    (tmp_path / "a.csv").write_bytes(b"\n".join(lines) + b"\n")
    run([tmp_path / "a.csv"], tmp_path / "out", random_folder)
    assert [(row, id) for _, row, id, _ in rejects(tmp_path / "out")] == [
        (4, "2"),
        (5, "3"),
        (6, "too few"),
        (7, None),
        (8, "5"),
    ]
    assert [reason for *_, reason in rejects(tmp_path / "out")][1:3] == [
        "the row has 4 fields, the header has 3",
        "the row has 1 field, the header has 3",
    ]
    check_counts(tmp_path / "out")
    written = read_json_lines(tmp_path / "out" / "a.jsonl")
    assert [(row["id"], row["text"]) for row in written] == [
        ("1", "the gene, of\r\nalpha"),
        ("6", 'a "quoted" word'),
    ]


def test_csv_with_open_quotes(tmp_path: Path, random_folder: Path) -> None:
    rows = 'id,text\n1,gene\n2,"open\n3,"bank"\n4,river\n5,"open\n6,lost\n'
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text('id,"text\n1,gene\n')
    run([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "out", random_folder)
    quote = "not a row of a table: the quote that opens in line"
    assert rejects(tmp_path / "out") == [
        ("a.csv", 4, None, f"{quote} 3 is closed in line 4, before the end of the field"),
        ("a.csv", 7, None, f"{quote} 6 is not closed"),
        ("b.csv", 1, None, f"the rest of the file is lost: {quote} 1 is not closed"),
    ]
    written = read_json_lines(tmp_path / "out" / "a.jsonl")
    assert [row["id"] for row in written] == ["1", "4"]


def test_text(tmp_path: Path, random_folder: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the gene\n\xff\n\n" + b"a" * LONG + b"\nof alpha")
    run([tmp_path / "a.txt"], tmp_path / "out", random_folder)
    assert [row for _, row, *_ in rejects(tmp_path / "out")] == [2, 4]
    check_counts(tmp_path / "out")
    written = read_json_lines(tmp_path / "out" / "a.jsonl")
    assert [(row["row"], row["text"]) for row in written] == [
        (1, "the gene"),
        (3, ""),
        (5, "of alpha"),
    ]


def test_parquet(tmp_path: Path, random_folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [b"the gene", b"\xff", None, b"a" * LONG, b"of alpha"] + [b"north sea"] * 300
    column = pa.array(texts, pa.binary()).view(pa.string())
    notes = pa.array([b"x"] * 4 + [b"\xfe"] + [b"x"] * 300, pa.binary()).view(pa.string())
    ids = pa.array(range(len(texts)), pa.int32())
    table = pa.table({"id": ids, "text": column, "note": notes})
    parquet.write_table(table, tmp_path / "a.parquet")
    run([tmp_path / "a.parquet"], tmp_path / "out", random_folder, settings=Settings())
    assert [(row, id) for _, row, id, _ in rejects(tmp_path / "out")] == [
        (2, 1),
        (3, 2),
        (4, 3),
        (5, 4),
    ]
    assert check_counts(tmp_path / "out")["written"] == 301
    assert parquet.read_table(tmp_path / "out" / "a.parquet").column("id").type == pa.int32()


def test_a_damaged_file_costs_only_its_rest(tmp_path: Path, random_folder: Path) -> None:
    lines = "".join(json.dumps({"text": random_text(n, 100)}) + "\n" for n in range(400))
    whole = gzip.compress(lines.encode())
    (tmp_path / "a.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "b.jsonl").write_text('{"text": "the gene"}\n')
    settings = Settings(max_row_bytes=100_000, block_rows=400, types=["X"], max_depth=1)
    run([tmp_path / "[ab].*"], tmp_path / "out", random_folder, settings=settings)
    ((file, row, id, reason),) = rejects(tmp_path / "out")
    assert (file, id) == ("a.jsonl.gz", None)
    assert "cut short" in reason
    counts = check_counts(tmp_path / "out")
    assert counts["written"] == row - 1 + 1
    assert gzip.decompress(contents(tmp_path / "out")["a.jsonl.gz"]).count(b"\n") == row - 1


def test_a_row_that_breaks_the_model(tmp_path: Path, random_folder: Path) -> None:
    lines = [json.dumps({"id": n, "text": "poison" if n == 5 else "the gene"}) for n in range(9)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    documents = Pipeline.documents

    def failing(self: Pipeline, items: Iterable[str]) -> Iterator[Document]:
        texts = list(items)
        if "poison" in texts:
            raise MemoryError("too much")
        return documents(self, texts)

    with patch.object(Pipeline, "documents", failing):
        run([tmp_path / "a.jsonl"], tmp_path / "out", random_folder)
    assert rejects(tmp_path / "out") == [
        ("a.jsonl", 6, 5, "prediction failed: MemoryError: too much")
    ]
    assert check_counts(tmp_path / "out")["written"] == 8


def test_too_many_errors_end_the_run(tmp_path: Path, random_folder: Path) -> None:
    good, bad = '{"text": "the gene"}\n', '{"text": null}\n'
    (tmp_path / "a.jsonl").write_text(good + bad * 3 + good * 10)
    out = tmp_path / "out"
    with pytest.raises(DataError, match="3 rows were rejected, more than the 2"):
        run([tmp_path / "a.jsonl"], out, random_folder, max_errors=2)
    assert len(rejects(out)) == 3
    assert not json.loads((out / "manifest.json").read_bytes())["complete"]
    run([tmp_path / "a.jsonl"], out, random_folder, max_errors=3, resume=True)
    assert check_counts(out)["written"] == 11


@pytest.mark.parametrize(
    ("name", "text", "listed"),
    [
        ("a.jsonl", '{"id": 1, "body": "x"}\n', "the keys are: id, body"),
        ("a.csv", "id,body\n1,x\n", "the columns are: id, body"),
        ("a.tsv", "id\tbody\n1\tx\n", "the columns are: id, body"),
    ],
)
def test_a_wrong_column_is_an_error_at_once_that_lists_the_others(
    name: str, text: str, listed: str, tmp_path: Path, random_folder: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match="no column 'text'") as error:
        run([tmp_path / name], tmp_path / "out", random_folder)
    assert str(error.value).endswith(f"--text-column; {listed}")
    settings = Settings(text_column="body", block_rows=SMALL_BLOCKS.block_rows)
    run([tmp_path / name], tmp_path / "out", random_folder, settings=settings)
    assert check_counts(tmp_path / "out")["written"] == 1


def test_a_first_row_without_text_is_a_reject(tmp_path: Path, random_folder: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "error": "gone"}\n{"id": 2, "text": "Oslo"}\n')
    run([tmp_path / "a.jsonl"], tmp_path / "out", random_folder)
    counts = check_counts(tmp_path / "out")
    assert (counts["written"], counts["rejected"]) == (1, 1)
