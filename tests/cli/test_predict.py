"""``innermost predict`` as people and programs use it."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast
from xml.etree import ElementTree

import pytest

from helpers.cli import COMMAND, Result, innermost, ok
from helpers.toy_corpus import toy_sentences
from innermost import corpus

SENTENCE = "the rector of Oslo spoke on Monday ."
TWO = f"{SENTENCE} Nobody in Lyon ."


@pytest.fixture
def predict(toy_model: Path) -> Any:
    def call(*arguments: object, stdin: str | bytes = b"") -> Result:
        return ok("predict", "--model", toy_model, *arguments, stdin=stdin)

    return call


@pytest.fixture
def refused(toy_model: Path) -> Any:
    def call(*arguments: object, code: int = 2, stdin: str | bytes = b"") -> str:
        done = innermost("predict", "--model", toy_model, *arguments, stdin=stdin)
        assert done.code == code
        return done.err

    return call


def found(record: dict[str, Any]) -> list[str]:
    """The entities of a record, read from its own text."""
    return [record["text"][e["start"] : e["end"]] for e in record["entities"]]


# Output


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.json", "a.conll"])
def test_an_empty_file_is_mentioned(
    predict: Any, name: str, content: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    for output in ("-", tmp_path / "out.jsonl"):
        done = predict("-i", tmp_path / name, "-o", output)
        assert done.out == ""
        assert done.err.endswith("no texts: the input is empty\n")
    assert (tmp_path / "out.jsonl").read_bytes() == b""


def test_an_empty_text_is_mentioned(predict: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    arguments = ["-i", tmp_path / "empty.txt"]
    for done in (predict(*arguments), predict(*arguments, "-o", tmp_path / "o.csv"), predict()):
        assert done.out == ""
        assert done.err.endswith("no texts: the input is empty\n")


def test_a_table_without_a_header_is_refused(refused: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\ntext\nin Oslo\n")
    assert "a.csv:1: the first line is blank" in refused("-i", tmp_path / "a.csv", code=1)


def test_the_setting_of_the_text_column_is_that_of_other_commands(
    predict: Any, tmp_path: Path
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"body\n{SENTENCE}\n", encoding="utf-8")
    outputs = [
        predict("-f", "jsonl", "-i", path, *option).out
        for option in (["--text-column", "body"], ["--set", "text=body"])
    ]
    assert outputs[0] == outputs[1] != ""


def test_jsonl(predict: Any) -> None:
    first, second = predict("-f", "jsonl", SENTENCE, "it rained").jsonl
    assert first["text"] == SENTENCE
    outer, inner = first["entities"]
    assert list(outer) == ["start", "end", "label", "text", "level", "score", "parent"]
    assert (outer["text"], outer["label"], outer["parent"]) == (
        "the rector of Oslo",
        "PERSON",
        None,
    )
    assert (inner["start"], inner["end"], inner["label"], inner["parent"]) == (14, 18, "PLACE", 0)
    assert second == {"text": "it rained", "entities": []}


def test_pretty(predict: Any) -> None:
    lines = predict(SENTENCE).out.splitlines()
    assert lines[0] == SENTENCE
    assert re.fullmatch(r" {14}╰──╯ PLACE [01]\.\d\d", lines[1])
    assert re.search(r"─ PERSON [01]\.\d\d", lines[2])
    assert len(lines[2]) == len("the rector of Oslo")
    assert lines[3:] == [""]


def test_pretty_says_from_which_file_a_text_is(predict: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"nobody in Oslo\n{name}\n")
    out = predict("-i", tmp_path / "a.txt", "-i", tmp_path / "b.txt").out
    assert re.findall(r"^--- .*", out, re.MULTILINE) == ["--- a.txt", "--- b.txt"]


def test_iob(predict: Any) -> None:
    rows = [line.split("\t") for line in predict("-f", "iob", SENTENCE).out.splitlines()]
    assert rows[0] == ["# global.columns = FORM NER NER"]
    assert rows[2:6] == [
        ["the", "B-PERSON", "O"],
        ["rector", "I-PERSON", "O"],
        ["of", "I-PERSON", "O"],
        ["Oslo", "I-PERSON", "B-PLACE"],
    ]


def test_brat(predict: Any, refused: Any, tmp_path: Path) -> None:
    predict("-f", "brat", "-o", tmp_path / "out", SENTENCE, "it rained")
    annotations = tmp_path / "out" / "1.ann"
    assert annotations.read_text().startswith(
        "T1\tPERSON 0 18\tthe rector of Oslo\nT2\tPLACE 14 18\tOslo\n#1\tAnnotatorNotes T1\tscore"
    )
    assert annotations.with_suffix(".txt").read_text() == SENTENCE
    assert (tmp_path / "out" / "2.ann").read_text() == ""
    for format in ("brat", "ace", "webanno"):
        message = refused("-f", format, SENTENCE)
        assert f"{format} is a folder of files\n  name it: --output FOLDER" in message


def test_the_name_of_the_output_chooses_the_format(
    predict: Any, refused: Any, tmp_path: Path
) -> None:
    prodigy = '{"text":"the rector of Oslo spoke on Monday .","tokens":[{'
    starts = {
        "page.html": ("html", "<!doctype html>"),
        "a.svg": ("svg", "<svg"),
        "a.jsonl": ("jsonl", '{"text":'),
        "a.json": ("json", '[\n{"text":'),
        "a.csv": ("csv", "text,entities\n"),
        "a.tsv": ("tsv", "text\tentities\n"),
        "a.conll": ("columns", "# global.columns"),
        "a.prodigy.jsonl": ("prodigy", prodigy),
        "a.labelstudio.json": ("labelstudio", "[\n{"),
        "a.txt": ("pretty", SENTENCE),
    }
    for name, (format, start) in starts.items():
        done = predict("-o", tmp_path / name, SENTENCE)
        assert (tmp_path / name).read_text().startswith(start), name
        said, *rest = done.err.splitlines()
        said_by = f"1 text, 2 entities, found by {_name(done)}"
        assert said == f"{tmp_path / name} ({format}): {said_by}"
        assert len(rest) == (name == "a.conll")  # its scores are dropped
        assert done.out == ""
    packed = tmp_path / "a.jsonl.gz"
    predict("-o", packed, SENTENCE)
    assert gzip.decompress(packed.read_bytes()).startswith(b'{"text":')
    predict("-o", f"{tmp_path}/folder/", SENTENCE)
    assert (tmp_path / "folder" / "1.ann").exists()
    assert "does not determine the output format" in refused("-o", tmp_path / "out", SENTENCE)
    assert "unknown format 'xlsx'" in refused("-f", "xlsx", SENTENCE)


def test_a_table_of_texts_needs_its_column(predict: Any, refused: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text(f"id\tbody\n7\t{SENTENCE}\n8\tNo names are in here.\n")
    said = refused("-i", table, code=1)
    assert "the table has no column 'text'" in said
    assert "--text-column; the columns are: id, body" in said
    rows = predict("-f", "jsonl", "-i", table, "--text-column", "body").out.splitlines()
    assert [json.loads(row)["id"] for row in rows] == ["7", "8"]
    tokens = tmp_path / "tokens.tsv"
    tokens.write_text("".join(f"{token}\tO\n" for token in SENTENCE.split()))
    assert len(predict("-f", "jsonl", "-i", tokens).out.splitlines()) == 1


def _name(done: Result) -> str:
    return done.err.partition(" found by ")[2].partition("\n")[0]


def test_html(predict: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    done = predict("-o", path, SENTENCE)
    page = path.read_text(encoding="utf-8")
    assert page.endswith("</html>\n")
    assert page.count("<mark") == 2
    assert f"Predicted by the model {_name(done)}." in page


def test_names_of_documents_are_on_the_page_once(predict: Any, tmp_path: Path) -> None:
    corpus_file = tmp_path / "corpus.jsonl"
    sentences = [{"tokens": SENTENCE.split(), "doc": doc} for doc in ("one", "one", "two")]
    corpus_file.write_text("".join(json.dumps(s) + "\n" for s in sentences))
    page = predict("-f", "html", "-i", corpus_file).out
    assert re.findall("<h2>(.*?)</h2>", page) == ["one", "two"]
    assert page.count("<article") == 3


def test_svg(predict: Any) -> None:
    picture = ElementTree.fromstring(predict("-f", "svg", SENTENCE, "it rained").out)
    texts = ["".join(t.itertext()) for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "it rained" in texts
    assert texts[-2:] == ["PERSON", "PLACE"]


def test_a_terminal_of_unknown_width(predict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = predict(SENTENCE).out
    monkeypatch.setattr("helpers.cli.COLUMNS", "0")
    assert predict(SENTENCE).out == usual


def test_what_has_no_place_in_the_output_is_said(predict: Any, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": SENTENCE, "topic": "x"}) + "\n")
    done = predict("-i", source, "-o", f"{tmp_path}/out/")
    assert "lost: extra key (1)" in done.err


@pytest.mark.parametrize(
    "format", ["iob", "conllu", "xml", "brackets", "prodigy", "labelstudio", "jsonl", "brat"]
)
def test_an_empty_text_is_stored_or_reported(predict: Any, tmp_path: Path, format: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in {"a": SENTENCE, "empty": "", "blank": " \n"}.items():
        (folder / f"{name}.txt").write_text(text)
    done = predict("-i", folder, "-f", format, "-o", tmp_path / "out")
    assert "3 texts, 2 entities" in done.err
    if format in ("jsonl", "brat"):
        assert "lost" not in done.err
    else:
        assert "lost: text without words (2)" in done.err
        assert "empty.txt: the format" in done.err


@pytest.mark.parametrize("format", ["prodigy", "labelstudio", "jsonl"])
def test_a_text_of_several_sentences_is_one_record(predict: Any, format: str) -> None:
    done = predict("-f", format, TWO, "it rained . It snowed .")
    records = json.loads(done.out) if format == "labelstudio" else done.jsonl
    (first, _) = (record.get("data", record) for record in records)
    assert first["text"] == TWO


def test_a_sentence_of_a_tokenized_corpus_is_one_record(predict: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text("# newdoc id = d\nnobody O\nin O\nOslo O\n\nin O\nLyon O\n\n")
    records = predict("-i", path, "-f", "prodigy").jsonl
    assert [len(record["tokens"]) for record in records] == [3, 2]
    assert all(record["meta"] == {"doc": "d"} for record in records)


def test_dropped_scores_are_reported_once(predict: Any, tmp_path: Path) -> None:
    for name, is_dropped in {"a.conll": True, "a.jsonl": False, "a.prodigy.jsonl": False}.items():
        done = predict("-o", tmp_path / name, SENTENCE, SENTENCE)
        assert done.err.count("dropped: 4 scores, which the format columns") == int(is_dropped)


def test_quiet(predict: Any, tmp_path: Path) -> None:
    assert predict("-q", "-o", tmp_path / "a.jsonl", "it rained").err == ""


def test_a_text_without_entities_names_the_model_and_the_others(predict: Any) -> None:
    done = predict("it rained")
    assert "no entities: " in done.err
    assert (
        "finds ORG, PERSON, PLACE; also installed: english, genia, litbank, multilingual (--model)"
        in done.err
    )
    assert predict(SENTENCE).err == ""


@pytest.mark.parametrize("text", ["Ж" * 200, "a\0b"])
def test_a_text_that_cannot_be_a_file_name(random_folder: Path, text: str) -> None:
    result = innermost("predict", "--model", random_folder, "--format", "jsonl", text)
    assert result.code == 0, result.err
    assert json.loads(result.out)["text"] == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--min-score", "1"], "with a score of 1 or more (--min-score)"),
        (["--min-score", "PERSON=1"], "with the scores of --min-score or more: PERSON 1"),
        (["--types", "ORG"], "of the types ORG (--types)"),
        (
            ["--types", "ORG,PLACE", "--min-score", "0.5"],
            "of the types ORG, PLACE (--types) with a score of 0.5 or more (--min-score)",
        ),
    ],
)
def test_filters_that_leave_nothing_are_named(
    predict: Any, options: list[str], message: str
) -> None:
    assert predict("the rector spoke .", *options).err.splitlines() == [f"no entities {message}"]


# Input


def test_files_of_text(predict: Any, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_text(f"{SENTENCE}\n\nnobody in Oslo")
    packed.write_bytes(gzip.compress(b"nobody in Ghent\n"))
    files = ["-i", plain, "-i", packed]
    lines = predict("-f", "jsonl", *files).jsonl
    assert [line["text"] for line in lines] == [SENTENCE, "", "nobody in Oslo", "nobody in Ghent"]
    assert [line["doc"] for line in lines] == ["a.txt:1", "a.txt:2", "a.txt:3", "b.txt:1"]
    whole = predict("-f", "jsonl", "--whole", *files).jsonl
    assert [line["text"] for line in whole] == [plain.read_text(), "nobody in Ghent\n"]
    assert [line["doc"] for line in whole] == ["a.txt", "b.txt"]
    assert found(whole[0]) == ["the rector of Oslo", "Oslo", "Oslo"]


def test_one_record_out_for_each_record_in(predict: Any, tmp_path: Path) -> None:
    records = [
        {"id": 17, "pmid": "999", "text": TWO, "entities": [], "doc": "abc", "n": {"a": [1]}},
        {"text": "it rained", "id": None},
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    source = tmp_path / "in.jsonl"
    source.write_text(text)
    for done in (predict("-i", source, "-f", "jsonl"), predict("-f", "jsonl", stdin=text)):
        first, second = done.jsonl
        assert list(first) == list(records[0])
        assert {**first, "entities": []} == records[0]
        assert found(first) == ["the rector of Oslo", "Oslo", "Lyon"]
        assert {**second, "entities": []} == {**records[1], "entities": []}


def test_a_document_of_a_corpus_of_text_is_one_record(predict: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(TWO)
        (tmp_path / f"{name}.ann").write_text("T1\tX 0 3\tthe\n")
    lines = predict("-i", tmp_path, "-f", "jsonl").jsonl
    assert [(line["doc"], line["text"]) for line in lines] == [("a", TWO), ("b", TWO)]
    assert found(lines[0]) == ["the rector of Oslo", "Oslo", "Lyon"]


def test_folders_patterns_and_what_a_shell_makes_of_them(predict: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    names = ["deep/c.txt", "news.txt", "novel.txt"]
    for name in names:
        (folder / name).write_text(f"{SENTENCE}\n{name} in Lyon\n")
    lines = predict("-i", folder, "-f", "jsonl").jsonl
    assert [line["doc"] for line in lines] == names
    out = tmp_path / "out"
    predict("-i", folder, "-f", "brat", "-o", out)
    assert {file.name for file in out.glob("n*.ann")} == {"news.ann", "novel.ann"}
    assert (out / "news.txt").read_text() == (folder / "news.txt").read_text()
    flat = [str(folder / name) for name in names[1:]]
    by_pattern = predict("-i", f"{folder}/*.txt", "--whole", "-f", "jsonl").jsonl
    expanded = predict("--whole", "-f", "jsonl", "-i", *flat).jsonl
    assert by_pattern == expanded
    assert [line["doc"] for line in expanded] == ["news.txt", "novel.txt"]
    by_line = predict("-i", flat[0], "-f", "brat", "-o", tmp_path / "lines")
    assert {f.name for f in (tmp_path / "lines").glob("*.ann")} == {"news-1.ann", "news-2.ann"}
    assert "2 texts" in by_line.err


def test_other_files_of_a_folder_are_mentioned(predict: Any, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(SENTENCE)
    (folder / ".hidden").touch()
    assert "not read" not in predict("-i", folder).err
    (folder / "README").write_text("in Oslo")
    note = "note: files not read, because they are not .txt"
    assert f"{note} (1)\n  {folder}: README\n" in predict("-i", folder).err
    for name in ("b.md", "c.md.gz", "d.html"):
        (folder / name).touch()
    done = predict("-i", folder, "-f", "jsonl")
    assert f"{note} (4)\n" in done.err
    for name in ("README", "b.md", "c.md.gz", "d.html"):
        assert f"\n  {folder}: {name}\n" in done.err
    assert [record["doc"] for record in done.jsonl] == ["a.txt"]


def test_files_of_one_name_are_told_apart(predict: Any, tmp_path: Path) -> None:
    files = [tmp_path / "a" / "x.txt", tmp_path / "b" / "x.txt", tmp_path / "b" / "y.txt"]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text("nobody in Oslo\n")
    lines = predict("-f", "jsonl", *(part for file in files for part in ("-i", file))).jsonl
    assert [line["doc"] for line in lines] == [f"{files[0]}:1", f"{files[1]}:1", "y.txt:1"]
    folders = [files[0].parent, files[1].parent]
    lines = predict("-f", "jsonl", "-i", folders[0], "-i", folders[1]).jsonl
    assert [line["doc"] for line in lines] == list(map(str, files))
    lines = predict("-f", "jsonl", "-i", folders[1]).jsonl
    assert [line["doc"] for line in lines] == ["x.txt", "y.txt"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_texts_in_json(predict: Any, tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "texts.json"
    texts = [{"id": 1, "text": "nobody in Oslo"}, {"id": 2, "text": "nobody in Ghent"}]
    file.write_text(json.dumps(texts, indent=indent))
    lines = predict("-f", "jsonl", "-i", file).jsonl
    assert [(line["id"], found(line)) for line in lines] == [(1, ["Oslo"]), (2, ["Ghent"])]
    file.write_text(json.dumps([*texts, {"id": 3}], indent=indent))
    done = innermost("predict", "-i", file, "-f", "jsonl")
    assert done.code == 1
    assert f"texts.json:{10 if indent else 1}: the record has no text: no 'text'" in done.err


def test_tables(predict: Any, refused: Any, tmp_path: Path) -> None:
    rows = [["17", SENTENCE, "x; y"], ["018", 'nobody, "here" in\nLyon', ""]]
    source = tmp_path / "in.csv"
    with source.open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([["key", "body", "note"], *rows])
    columns = ["--text-column", "body", "--id-column", "key"]
    predict("-i", source, *columns, "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        head, *written = csv.reader(file)
    assert head == ["key", "body", "note", "entities"]
    assert [row[:3] for row in written] == rows
    entities = [json.loads(row[3]) for row in written]
    assert [[e["text"] for e in row] for row in entities] == [
        ["the rector of Oslo", "Oslo"],
        ["Lyon"],
    ]
    predict("-i", source, *columns, "-o", f"{tmp_path}/brat/")
    assert {f.stem for f in (tmp_path / "brat").glob("*.ann")} == {"17", "018"}
    message = refused("-i", source, code=1)
    assert "no column 'text'" in message
    assert "--text-column" in message
    assert "key, body, note" in message


def test_parquet_keeps_other_columns_and_nested_entities(predict: Any, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra frames")
    from pyarrow import parquet

    rows = [{"id": 1, "text": SENTENCE, "year": None}, {"id": 2, "text": "it rained", "year": 7}]
    source, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), source)
    predict("-i", source, "-o", out)
    written = parquet.read_table(out).to_pylist()
    assert [{**row, "entities": None} for row in written] == [{**r, "entities": None} for r in rows]
    assert [e["text"] for e in written[0]["entities"]] == ["the rector of Oslo", "Oslo"]
    assert written[1]["entities"] == []
    again = predict("-i", out, "-f", "jsonl").jsonl
    assert [line["entities"] for line in again] == [row["entities"] for row in written]


def test_records_that_cannot_be_read_are_listed_or_skipped(
    predict: Any, refused: Any, tmp_path: Path
) -> None:
    source = tmp_path / "in.jsonl"
    bad = ['{"txt": "a"}', '{"text": null}', "{", '{"text": "\\ud800"}', '{"tokens": ["a", ""]}']
    source.write_text("\n".join(['{"text": "nobody in Oslo"}', *bad]) + "\n")
    message = refused("-i", source, "-f", "jsonl", code=1)
    assert "5 bad records" in message
    assert "did you mean 'txt'" in message
    assert all(f"in.jsonl:{line}:" in message for line in range(2, 7))
    done = predict("-i", source, "-f", "jsonl", "--skip-bad")
    assert [found(line) for line in done.jsonl] == [["Oslo"]]
    assert "skipped: bad record (5)" in done.err


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_an_array_on_standard_input_is_records(predict: Any, indent: int | None, pack: Any) -> None:
    long = "".join(map(str, range(30_000)))  # longer than what is read to detect a format
    records = [{"long": long, "text": SENTENCE}, {"text": "nobody\nin Lyon"}]
    for part in (records, records[1:]):
        done = predict("-f", "jsonl", stdin=pack(json.dumps(part, indent=indent).encode()))
        assert [record["text"] for record in done.jsonl] == [record["text"] for record in part]
        assert done.jsonl[0].get("long") == part[0].get("long")


@pytest.mark.parametrize("stdin", ["[\n[\nin Oslo\n", "[1] in Oslo", "\n\n[{\n", "["])
def test_other_brackets_on_standard_input_are_text(predict: Any, stdin: str) -> None:
    done = predict("-f", "jsonl", stdin=stdin)
    assert [record["text"] for record in done.jsonl] == stdin.splitlines()


def test_json_without_a_text_is_told_which_keys_are_read(refused: Any, tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    for content in ('{"a": 1}', '[{"a": 1}]', '{\n"a": 1\n}'):
        path.write_text(content)
        message = refused("-i", path, code=1)
        assert "in.json:1: the record has no text: no 'text'" in message
        assert "a record needs 'text' or 'tokens'" in message


def test_hidden_files_of_a_folder_are_not_read(predict: Any, tmp_path: Path) -> None:
    for name in ("a.txt", ".b.txt", ".ipynb_checkpoints/a.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SENTENCE)
    done = predict("-i", tmp_path / "in", "-f", "jsonl")
    assert [record["doc"] for record in done.jsonl] == ["a.txt"]


def test_text_of_another_encoding_is_listed_or_skipped(
    predict: Any, refused: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in {
        "a.txt": SENTENCE.encode(),
        "latin.txt": "nobody in Oslo\nun café in Lyon\n".encode("latin-1"),
        "utf16.txt": f"{SENTENCE}\n{SENTENCE}\n".encode("utf-16"),
    }.items():
        (folder / name).write_bytes(data)
    message = refused("-i", folder, "-f", "jsonl", code=1)
    assert "2 bad records" in message
    assert "latin.txt:2: byte 0xe9 is not UTF-8" in message
    assert "utf16.txt:1: the file is UTF-16" in message
    done = predict("-i", folder, "-f", "jsonl", "--skip-bad")
    assert [record["doc"] for record in done.jsonl] == ["a.txt"]
    assert "skipped: bad record (2)" in done.err
    by_line = predict("-i", folder / "latin.txt", "-f", "jsonl", "--skip-bad")
    assert [record["text"] for record in by_line.jsonl] == ["nobody in Oslo"]
    for output in ("-", tmp_path / "out.jsonl"):
        arguments = ["-i", folder / "utf16.txt", "-f", "jsonl", "--skip-bad", "-o", output]
        message = refused(*arguments, code=1)
        assert "skipped: bad record (1)" in message
        assert "error: no texts: every record was skipped" in message


def test_a_line_of_another_encoding_on_standard_input_is_skipped(predict: Any) -> None:
    for stdin in (
        b'{"text": "in Oslo"}\n{"text": "caf\xe9"}\n{"text": "in Lyon"}\n',
        b"in Oslo\ncaf\xe9\nin Lyon\n",
    ):
        done = predict("-f", "jsonl", "--skip-bad", stdin=stdin)
        assert [record["text"] for record in done.jsonl] == ["in Oslo", "in Lyon"]
        assert "  standard input:2: byte 0xe9 is not UTF-8\n" in done.err
        refused = innermost("predict", "-f", "jsonl", stdin=stdin)
        assert "error: standard input:2: byte 0xe9 is not UTF-8\n  convert it" in refused.err


def test_hard_wrapped_text_is_recognized(predict: Any, tmp_path: Path) -> None:
    sentence = "nobody in the old town of Oslo has ever seen the rector of Lyon ."
    words = sentence.split() * 20
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 60:
            lines.append(line.strip())
            line = ""
        line += f"{word} "
    wrapped = tmp_path / "book.txt"
    wrapped.write_text("\n".join([*lines, line.strip()]) + "\n")
    done = predict("-i", wrapped, "-f", "jsonl")
    assert [record["text"] for record in done.jsonl] == [wrapped.read_text()]
    assert "hard-wrapped text" in done.err
    assert "--lines" in done.err
    assert len(predict("-i", wrapped, "-f", "jsonl", "--lines").jsonl) == len(lines) + 1
    wrapped.write_text("\n".join([*lines[:5], "Oslo ."]) + "\n")
    done = predict("-i", wrapped, "-f", "jsonl")
    assert [record["text"] for record in done.jsonl] == [wrapped.read_text()]
    assert "hard-wrapped text" in done.err


def test_corpora_keep_their_tokens_and_names(predict: Any, tmp_path: Path) -> None:
    gold = toy_sentences()[:6]
    for number, sentence in enumerate(gold):
        sentence.id = f"s{number}"
        sentence.doc = "one"
    source, target = tmp_path / "gold.conll", tmp_path / "out.iob"
    corpus.write(gold, source)
    predict("-f", "iob", "-i", source, "-o", target)
    read = list(corpus.read(target, format="columns"))
    assert [s.tokens for s in read] == [s.tokens for s in gold]
    assert [s.id for s in read] == [s.id for s in gold]
    assert [sorted(s.entities) for s in read] == [sorted(s.entities) for s in gold]
    lines = predict("-f", "jsonl", "-i", source).jsonl
    assert [(line["id"], line["doc"], line["tokens"]) for line in lines] == [
        (s.id, s.doc, s.tokens) for s in gold
    ]
    out = tmp_path / "out.jsonl"
    predict("-i", source, "-o", out)
    again = list(corpus.read(out))
    assert [(s.id, s.doc, s.tokens, s.extra) for s in again] == [
        (s.id, s.doc, s.tokens, {}) for s in gold
    ]
    assert [s.entities for s in again] == [s.entities for s in gold]


def test_gold_entities_give_no_hints(predict: Any, tmp_path: Path) -> None:
    source = tmp_path / "gold.jsonl"
    source.write_text('{"text": "in Oslo", "entities": [{"start": 4, "end": 7, "label": "X"}]}\n')
    (line,) = predict("-f", "jsonl", "-i", source).jsonl
    assert found(line) == ["Oslo"]


def test_options_of_the_model(predict: Any, refused: Any) -> None:
    text = "the sister of the mayor of the Academy of Lyon spoke on Monday ."
    every = predict("-f", "jsonl", text).jsonl[0]["entities"]
    outer = predict("-f", "jsonl", "--max-depth", 1, text).jsonl[0]["entities"]
    assert {e["level"] for e in outer} == {1}
    assert len(every) == len(outer) + 1
    none = predict("-f", "jsonl", "--min-score", 1, text).jsonl[0]["entities"]
    assert len(none) < len(every)
    places = predict("-f", "jsonl", "--types", "PLACE, ORG", text).jsonl[0]["entities"]
    assert {e["label"] for e in places} == {"PLACE", "ORG"}
    sure = predict("-f", "jsonl", "--min-score", "PERSON=1", text).jsonl[0]["entities"]
    assert {e["label"] for e in sure} == {"PLACE", "ORG"}
    assert "no type 'PLCE'" in refused("--types", "PLCE", text)
    assert "not a score" in refused("--min-score", "high", text)
    assert "for all types and for some" in refused("--min-score=.5", "--min-score=ORG=.2", text)
    assert "no layer 'x'" in refused("--layer", "x", text)
    two = "Nobody in Oslo. In Lyon it rained."
    assert len(predict("-f", "iob", two).out.split("\n\n")) == 3
    assert len(predict("-f", "iob", "--no-split", two).out.split("\n\n")) == 2


def test_wrong_use(predict: Any, refused: Any, tmp_path: Path) -> None:
    assert "both TEXT and --input" in refused("-i", "-", "text")
    assert "no such file" in refused("-i", tmp_path / "absent.txt", code=1)
    assert "no file matches" in refused("-i", tmp_path / "*.text", code=1)
    letter = tmp_path / "letter.md"
    letter.write_text("nobody in Oslo\n")
    assert "--from text" in refused("-i", letter, code=1)
    assert "Oslo" in predict("-i", letter, "--from", "text").out
    assert "is also the input" in refused("-i", letter, "--from", "text", "-o", letter, "-fjsonl")
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"fine\n\xff\n")
    assert "bad.txt:2: byte 0xff is not UTF-8" in refused("-i", bad, code=1)
    (tmp_path / "empty").mkdir()
    assert "the folder is empty" in refused("-i", tmp_path / "empty", code=1)


# Streams


def _restore_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Running:
    """The command in a separate process, with its three streams."""

    def __init__(self, model: Path, *arguments: str) -> None:
        command = [*COMMAND, "predict", "--model", str(model), *arguments]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            # A shell that runs the tests in the background would leave SIGINT ignored.
            preexec_fn=None if os.name == "nt" else _restore_interrupt,
        )
        streams = self.process.stdin, self.process.stdout, self.process.stderr
        self.stdin, self.stdout, self.stderr = cast("tuple[IO[bytes], ...]", streams)

    def send(self, text: str) -> None:
        self.stdin.write(text.encode())
        self.stdin.flush()

    def end(self) -> int:
        return self.process.wait(timeout=20)


@pytest.mark.parametrize("line", ["{text}\n", '{{"text": "{text}", "id": 5}}\n'])
def test_lines_are_answered_as_they_arrive(toy_model: Path, line: str) -> None:
    running = Running(toy_model, "-f", "jsonl")
    for text in ("nobody in Oslo", "", SENTENCE):
        running.send(line.format(text=text))
        # The stream is still open, but the answer is already there.
        assert json.loads(running.stdout.readline())["text"] == text
    running.stdin.close()
    assert running.stdout.read() == b""
    assert running.end() == 0
    assert running.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_leaves_whole_lines(toy_model: Path) -> None:
    running = Running(toy_model, "-f", "jsonl")
    running.send(f"{SENTENCE}\n" * 50)
    begun = running.stdout.readline() + running.stdout.readline()
    running.process.send_signal(signal.SIGINT)
    rest = running.stdout.read()
    assert running.end() == 130
    assert running.stderr.read() == b""
    lines = (begun + rest).decode().splitlines(keepends=True)
    assert len(lines) > 1
    assert all(json.loads(line) and line.endswith("\n") for line in lines)


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("name", ["a.jsonl", "a.html", "a.csv"])
def test_ctrl_c_leaves_an_older_file_as_it_was(toy_model: Path, tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    output.write_text("older")
    running = Running(toy_model, "-i", "-", "-o", str(output))
    running.send(f"{SENTENCE}\n" * 50)
    while len(list(tmp_path.iterdir())) < 2:  # the new file has a name of its own
        assert running.process.poll() is None
        time.sleep(0.01)
    running.process.send_signal(signal.SIGINT)
    assert running.end() == 130
    assert f"stopped: {output} was not written" in " ".join(running.stderr.read().decode().split())
    assert [path.read_text() for path in tmp_path.iterdir()] == ["older"]


@pytest.mark.skipif(os.name == "nt", reason="needs a shell's pipes")
def test_a_broken_pipe_is_silent(toy_model: Path) -> None:
    running = Running(toy_model, "-f", "jsonl")
    running.send(f"{SENTENCE}\n")
    running.stdout.readline()
    running.stdout.close()
    with suppress(BrokenPipeError):  # it may be gone before all is sent
        running.send(f"{SENTENCE}\n" * 2000)
    assert running.end() == 0
    assert running.stderr.read() == b""


def test_rows_of_a_table_that_are_not_utf_8_are_skipped(
    predict: Any, refused: Any, tmp_path: Path
) -> None:
    rows = ["id,text", *(f"{n},in Oslo" for n in range(1000))]
    data = "\n".join(rows).encode().replace(b"499,in Oslo", b"499,in \xd6slo")
    (tmp_path / "a.csv").write_bytes(data)
    assert "a.csv:501: not UTF-8" in refused("-i", tmp_path / "a.csv", "-f", "jsonl", code=1)
    done = predict("-i", tmp_path / "a.csv", "-f", "jsonl", "--skip-bad")
    assert [record["id"] for record in done.jsonl] == [str(n) for n in range(1000) if n != 499]
    assert "skipped: bad record (1)" in done.err


def test_entities_of_a_table_are_replaced_whatever_they_are(predict: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text,entities\n1,nobody in Oslo,Oslo; Norway\n")
    (record,) = predict("-i", tmp_path / "a.csv", "-f", "jsonl").jsonl
    assert [entity["text"] for entity in record["entities"]] == ["Oslo"]


def test_tasks_for_label_studio_without_annotations(predict: Any, tmp_path: Path) -> None:
    tasks = [{"data": {"text": "nobody in Oslo"}}, {"data": {"text": SENTENCE}, "annotations": []}]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    records = predict("-i", tmp_path / "tasks.json", "-f", "jsonl").jsonl
    assert [record["text"] for record in records] == ["nobody in Oslo", SENTENCE]


def test_json_without_a_text_on_standard_input_is_refused(refused: Any, predict: Any) -> None:
    line = '{"content": "in Oslo", "id": 4}\n'
    message = refused("-f", "jsonl", stdin=line.encode(), code=1)
    assert "the record has no text" in message
    (record,) = predict("-f", "jsonl", "--from", "text", stdin=line.encode()).jsonl
    assert record["text"] == line.strip()


@pytest.mark.parametrize("format", ["labelstudio", "spacy-json"])
def test_standard_output_of_tools_that_read_arrays(predict: Any, format: str) -> None:
    records = json.loads(predict("-f", format, "nobody in Oslo", SENTENCE).out)
    assert len(records) == 2


def test_a_key_of_names_that_does_not_occur_is_named(
    predict: Any, refused: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text('{"pmid": 3, "text": "in Oslo"}\n')
    done = predict("-i", tmp_path / "a.jsonl", "--id-column", "pmdi", "-f", "jsonl")
    assert "no 'pmdi' (1)" in done.err
    (tmp_path / "a.csv").write_text("pmid,text\n3,in Oslo\n")
    message = refused("-i", tmp_path / "a.csv", "--id-column", "pmdi", "-f", "jsonl", code=1)
    assert "there is no column 'pmdi'" in message


@pytest.mark.parametrize("option", [("--text-column", "body"), ("--set", "text=body")])
def test_another_key_of_the_text_in_tasks_for_label_studio(
    predict: Any, tmp_path: Path, option: tuple[str, str]
) -> None:
    task = {"id": 7, "data": {"body": "nobody in Oslo"}, "annotations": []}
    (tmp_path / "tasks.json").write_text(json.dumps([task]))
    (record,) = predict("-i", tmp_path / "tasks.json", *option, "-f", "jsonl").jsonl
    assert record["text"] == "nobody in Oslo"


def test_bad_annotations_do_not_matter(predict: Any, tmp_path: Path) -> None:
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "a.txt").write_text("nobody in Oslo")
    (folder / "a.ann").write_text("T1\tPLACE 10 99\tOslo\nnonsense\n")
    (folder / "b.ann").write_text("T1\tPLACE 0 1\tx\n")
    done = predict("-i", folder, "-f", "jsonl")
    (record,) = done.jsonl
    assert [entity["text"] for entity in record["entities"]] == ["Oslo"]
    assert record["doc"] == "a"
    assert "no .txt file for an .ann file (1)" in done.err
    task = {"data": {"text": "nobody in Oslo"}, "annotations": [{"was_cancelled": True}]}
    wrong = {"data": {"text": "nobody in Oslo"}, "annotations": [{"result": [{"value": {}}]}]}
    (tmp_path / "tasks.json").write_text(json.dumps([task, wrong]))
    assert len(predict("-i", tmp_path / "tasks.json", "-f", "jsonl").jsonl) == 2


def test_tasks_of_label_studio_keep_their_keys(predict: Any, tmp_path: Path) -> None:
    data = {"body": "nobody in Oslo", "topic": "x"}
    task = {"id": 7, "data": data, "meta": {"batch": 3}, "inner_id": 1, "annotations": []}
    (tmp_path / "tasks.json").write_text(json.dumps([task]))
    out = tmp_path / "out.labelstudio.json"
    done = predict("-i", tmp_path / "tasks.json", "--text-column", "body", "-o", out)
    assert "lost" not in done.err
    (written,) = json.loads(out.read_text())
    assert written.pop("predictions")
    assert written == {key: value for key, value in task.items() if key != "annotations"}
    again = tmp_path / "again.labelstudio.json"
    predict("-i", out, "--text-column", "body", "-o", again)
    assert json.loads(again.read_text()) == json.loads(out.read_text())
    plain = tmp_path / "out.jsonl"
    predict("-i", out, "--text-column", "body", "-o", plain)
    ok("convert", plain, tmp_path / "back.labelstudio.json", "--allow-loss")
    (back,) = json.loads((tmp_path / "back.labelstudio.json").read_text())
    assert (back["data"], back["meta"]) == (data, {"batch": 3})


@pytest.mark.parametrize("options", [(), ("--from", "text")])
def test_a_folder_of_other_files_is_read_with_a_pattern(
    predict: Any, refused: Any, tmp_path: Path, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.v1.jsonl", "b.v1.jsonl", "notes.md"):
        (folder / name).write_text(f'{{"text": "{SENTENCE}"}}\n')
    message = refused("-i", folder, *options, code=1)
    assert f"to read its 2 .jsonl files, use a pattern: -i '{folder}/*.jsonl'" in message
    assert len(predict("-i", f"{folder}/*.jsonl", "-f", "jsonl").jsonl) == 2
