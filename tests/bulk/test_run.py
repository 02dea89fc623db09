"""One row out for each row in, whatever the files, the processes and the format."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.bulk import contents, random_text, read_json_lines, run, write_json_lines
from helpers.cli import innermost, ok
from innermost import load
from innermost.bulk.blocks import Row, blocks
from innermost.bulk.settings import Settings
from innermost.bulk.shards import find_shards
from innermost.errors import DataError, UsageError


def test_the_entities_are_those_of_the_model(tmp_path: Path, random_folder: Path) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", 9)
    run([path], tmp_path / "out", random_folder)
    nlp = load(random_folder, threads=1)
    rows = read_json_lines(tmp_path / "out" / "a.jsonl")
    inputs = read_json_lines(path)
    assert [list(row) for row in rows] == [["id", "text", "year", "entities"]] * 9
    assert rows == [{**row, "entities": nlp(row["text"]).to_dict()["entities"]} for row in inputs]
    assert any(row["entities"] for row in rows)


def test_two_processes_write_what_one_writes(tmp_path: Path, random_folder: Path) -> None:
    inputs = [write_json_lines(tmp_path / f"in/{n}.jsonl", 11, seed=n) for n in range(3)]
    run([tmp_path / "in"], tmp_path / "one", random_folder)
    progress = run(inputs, tmp_path / "two", random_folder, jobs=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert progress.counts.rows == 33
    assert progress.bytes_done == pytest.approx(progress.bytes)


def test_compressed_lines_stay_compressed(tmp_path: Path, random_folder: Path) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", 9)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    run([tmp_path / "[ab].jsonl*"], tmp_path / "out", random_folder)
    files = contents(tmp_path / "out")
    assert gzip.decompress(files["b.jsonl.gz"]) == files["a.jsonl"]


def test_parquet_keeps_columns_and_nests_entities(tmp_path: Path, random_folder: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pandas = pytest.importorskip("pandas")
    texts = [random_text(n) for n in range(9)]
    table = pa.table(
        {
            "tags": pa.array([["a", None]] * 9),
            "text": texts,
            "day": pa.array([10957] * 9, pa.date32()),
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    settings = Settings(block_rows=4)
    run([tmp_path / "a.parquet"], tmp_path / "out", random_folder, settings=settings)
    result = parquet.read_table(tmp_path / "out" / "a.parquet")
    assert result.drop_columns(["entities"]).equals(table)
    documents = load(random_folder, threads=1)(texts)
    assert result.column("entities").to_pylist() == [d.to_dict()["entities"] for d in documents]
    frame = pandas.read_parquet(tmp_path / "out" / "a.parquet")
    assert [e["label"] for row in frame["entities"] for e in row] == [
        entity.label for document in documents for entity in document.entities
    ]


@pytest.mark.parametrize("reader", ["pandas", "polars", "duckdb"])
def test_other_tools_read_the_nested_column(
    reader: str, tmp_path: Path, random_folder: Path
) -> None:
    tool = pytest.importorskip(reader, reason=f"reads the output with {reader}")
    path = write_json_lines(tmp_path / "a.jsonl", 9)
    settings = Settings(block_rows=4, output_format="parquet")
    run([path], tmp_path / "out", random_folder, settings=settings)
    output = str(tmp_path / "out" / "a.parquet")
    if reader == "duckdb":
        rows = [row[0] for row in tool.sql(f"select entities from '{output}'").fetchall()]
    else:
        rows = [list(row) for row in tool.read_parquet(output)["entities"]]
    nlp = load(random_folder, threads=1)
    texts = [row["text"] for row in read_json_lines(path)]
    assert rows == [nlp(text).to_dict()["entities"] for text in texts]
    assert any(rows)


def test_parquet_from_the_command_line(tmp_path: Path, random_folder: Path) -> None:
    """In a process of its own: nothing else has imported the modules of pyarrow."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"text": ["the river bank", None]}), tmp_path / "a.parquet")
    command = [sys.executable, "-m", "innermost", "predict", "-q", "--model", str(random_folder)]
    options = [
        "--input",
        str(tmp_path / "a.parquet"),
        "--output",
        str(tmp_path / "out"),
        "--jobs=1",
    ]
    subprocess.run(command + options, check=True)
    assert parquet.read_table(tmp_path / "out" / "a.parquet").num_rows == 1
    reject = json.loads((tmp_path / "out" / "rejects.jsonl").read_text())
    assert (reject["row"], reject["reason"]) == (2, "the text is null")
    options[3] = str(tmp_path / "b.parquet")
    refused = subprocess.run(command + options[:-1], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "'text' is None" in refused.stderr
    assert "Exception ignored" not in refused.stderr


def test_json_lines_to_parquet_with_columns_that_do_not_fit(
    tmp_path: Path, random_folder: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    values = [None, 1, None, 2.5, "x", {"a": 1}, "y", "z"]
    rows = [
        {"text": random_text(n), "mixed": v, "n": n, "none": None} for n, v in enumerate(values)
    ]
    rows[7]["late"] = "y"
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = Settings(block_rows=2, output_format="parquet")
    run([tmp_path / "a.jsonl"], tmp_path / "out", random_folder, settings=settings)
    result = parquet.read_table(tmp_path / "out" / "a.parquet")
    assert result.column_names == ["text", "mixed", "n", "none", "late", "entities"]
    assert result.column("n").to_pylist() == list(range(8))
    mixed = result.column("mixed").to_pylist()
    assert mixed == [None, "1", None, "2.5", "x", '{"a":1}', "y", "z"]
    assert result.column("late").to_pylist() == [None] * 7 + ["y"]


def test_empty_files_become_empty_files(tmp_path: Path, random_folder: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "b.parquet")
    (tmp_path / "a.csv").write_text("")
    progress = run([tmp_path / "a.csv", tmp_path / "b.parquet"], tmp_path / "out", random_folder)
    assert progress.counts.shards == 2
    assert contents(tmp_path / "out")["a.jsonl"] == b""
    assert parquet.read_table(tmp_path / "out" / "b.parquet").num_rows == 0


def test_names_of_outputs(tmp_path: Path) -> None:
    for name in ("in/x/a.jsonl.gz", "in/b.tsv", "in/.hidden.txt", "in/README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    out = tmp_path / "out"
    for inputs in ([f"{tmp_path}/in"], [f"{tmp_path}/in/**/*.jsonl.gz", f"{tmp_path}/in/b.tsv"]):
        shards = find_shards(inputs, out, None)
        assert [shard.output for shard in shards] == ["b.jsonl", "x/a.jsonl.gz"]
    assert [s.output for s in find_shards([f"{tmp_path}/in"], out, "parquet")] == [
        "b.parquet",
        "x/a.parquet",
    ]
    (tmp_path / "in/b.csv").touch()
    with pytest.raises(UsageError, match="would both be written"):
        find_shards([f"{tmp_path}/in"], out, None)
    with pytest.raises(DataError, match="does not say what the file is"):
        find_shards([f"{tmp_path}/in/README.md"], out, None)
    with pytest.raises(UsageError, match="would be overwritten"):
        find_shards([f"{tmp_path}/in/x/a.jsonl.gz"], tmp_path / "in/x", None)
    with pytest.raises(UsageError, match="is also the output folder"):
        find_shards([f"{tmp_path}/in"], tmp_path / "in", None)


def test_blocks_are_bounded_by_rows_and_by_text() -> None:
    rows = [(Row(n, None, "x" * size, {}), 0.0) for n, size in enumerate([5, 5, 5, 1, 1, 1, 1])]
    settings = Settings(block_bytes=10, block_rows=3)
    assert [block.rows for block in blocks(rows, settings)] == [[0, 1], [2, 3, 4], [5, 6]]


def test_the_command(tmp_path: Path, random_folder: Path) -> None:
    write_json_lines(tmp_path / "in/a.jsonl", 5)
    out = tmp_path / "out"
    arguments = ("predict", "--model", random_folder, "--input", tmp_path / "in/*.jsonl")
    done = ok(*arguments, "--output", out, "--jobs", 1)
    assert "1 file, 5 rows" in done.err
    assert len(read_json_lines(out / "a.jsonl")) == 5
    ok(*arguments, "--output", out, "--resume", "--jobs", 1)
    again = innermost(*arguments, "--output", out, "--jobs", 1)
    assert again.code == 2
    assert "--resume" in again.err
    assert innermost(*arguments, "--jobs", 1).code == 2
    assert innermost(*arguments, "--output", out, "--jobs", 1, "--format", "html").code == 2


def test_a_run_that_rejects_every_row_fails(tmp_path: Path, random_folder: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": 1}\n{"text": null}\n')
    (tmp_path / "b.jsonl").touch()
    arguments = ("predict", "--model", random_folder, "--input", tmp_path, "--jobs", 1)
    for options in ((), ("--resume",)):
        failed = innermost(*arguments, "--output", tmp_path / "out", *options)
        assert failed.code == 1
        assert "2 rows rejected: " in failed.err
        assert "error: no rows: every one was rejected" in failed.err
    assert len(read_json_lines(tmp_path / "out" / "rejects.jsonl")) == 2
    nothing = ("predict", "--model", random_folder, "--input", tmp_path / "b.jsonl", "--jobs", 1)
    ok(*nothing, "--output", tmp_path / "empty")


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv.gz", "out.html", "out.parquet"])
def test_the_name_of_a_file_is_no_folder(name: str, tmp_path: Path, random_folder: Path) -> None:
    path = write_json_lines(tmp_path / "in/a.jsonl", 2)
    arguments = ("predict", "--model", random_folder, "--input", path, "--jobs", 1, "--output")
    refused = innermost(*arguments, tmp_path / name)
    assert refused.code == 2
    assert f"{name} is the name of a file" in refused.err
    assert "name a folder: --output FOLDER" in refused.err
    assert not (tmp_path / name).exists()
    ok(*arguments, f"{tmp_path / name}/")
    ok(*arguments, tmp_path / name, "--resume")
    assert len(read_json_lines(tmp_path / name / "a.jsonl")) == 2


def test_options_of_prediction(tmp_path: Path, random_folder: Path) -> None:
    path = write_json_lines(tmp_path / "a.jsonl", 9)
    everything = load(random_folder, threads=1)
    label, other = everything.types[:2]
    arguments = ("predict", "--model", random_folder, "--input", path, "--jobs", 1, "--no-split")
    options = ("--types", f"{label},{other}", "--min-score", f"{other}=1", "--max-depth", 1)
    ok(*arguments, "--output", tmp_path / "out", *options)
    nlp = load(
        random_folder,
        threads=1,
        types=[label, other],
        min_score={other: 1.0},
        max_depth=1,
        sentences=False,
    )
    rows = read_json_lines(tmp_path / "out" / "a.jsonl")
    expected = [nlp(row["text"]).to_dict()["entities"] for row in rows]
    assert [row["entities"] for row in rows] == expected
    assert any(expected)
    for wrong in (("--types", "NONE"), ("--min-score", "NONE=0.5")):
        result = innermost(*arguments, "--output", tmp_path / "x", *wrong)
        assert (result.code, "NONE" in result.err) == (2, True)
    assert not (tmp_path / "x").exists()


def test_ray_that_is_not_installed(
    tmp_path: Path, random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_json_lines(tmp_path / "a.jsonl", 5)
    monkeypatch.setitem(sys.modules, "ray", None)
    arguments = ("predict", "--model", random_folder, "--input", tmp_path / "a.jsonl")
    result = innermost(*arguments, "--output", tmp_path / "out", "--engine", "ray")
    assert result.code == 2
    assert "innermost[ray]" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        (b"id,text,text", "two columns have the same name: id, text, text"),
        (b"id,text,caf\xe9", "not UTF-8"),
    ],
)
def test_a_header_that_is_wrong_is_a_reject(tmp_path, random_folder, header, reason):
    (tmp_path / "a.csv").write_bytes(header + b"\n1,the river,x\n")
    run([tmp_path / "a.csv"], tmp_path / "out", random_folder)
    (reject,) = read_json_lines(tmp_path / "out" / "rejects.jsonl")
    assert reject["reason"] == f"the rest of the file is lost: {reason}"
