"""Bad records: all are listed at once with file and line, or skipped and reported."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from innermost.corpus import Options, Report, read, registry
from innermost.corpus.quality.checks import check
from innermost.errors import BadRecordsError, DataError

TSV = "#FORMAT=WebAnno TSV 3.3\n#T_SP=NamedEntity|value\n\n"

# Each has good records around two bad ones: the files, the lines of the bad ones, and how many
# sentences are left.
SAMPLES: dict[str, tuple[dict[str, str], list[int | None], int]] = {
    "native": (
        {
            "a.jsonl": '{"tokens": ["a"], "entities": []}\n'
            '{"tokens": [], "entities": []}\n'
            '{"tokens": ["b"], "entities": []}\n'
            "{\n"
            '{"tokens": ["c"], "entities": []}\n'
        },
        [2, 4],
        3,
    ),
    "papers": (
        {
            "a.json": '[{"tokens": ["a"], "entities": [{"start": 0, "end": 1, "type": "X"}]},\n'
            "3,\n"
            '{"tokens": ["b"], "entities": [{"start": 0, "end": 9, "type": "X"}]},\n'
            '{"tokens": ["c"], "entities": []}]'
        },
        [2, 3],
        2,
    ),
    "labelstudio": (
        {
            "a.json": '[{"data": {"text": "a"}, "annotations": [{"result": []}]},\n'
            '{"data": {}, "annotations": [{"result": []}]},\n'
            '{"data": {"text": "b"}, "annotations": [{"result": [{"type": "labels"}]}]},\n'
            '{"data": {"text": "c"}, "annotations": [{"result": []}]}]'
        },
        [2, 3],
        2,
    ),
    "table": (
        {
            "a.csv": "text,entities\n"
            'a,"[{""start"": 0, ""end"": 1, ""label"": ""X""}]"\n'
            "b,[,]\n"
            "c,[],too many\n"
            "d,\n"
            "e,[]\n"
        },
        [3, 4],
        3,
    ),
    "prodigy": (
        {
            "a.jsonl": '{"text": "a", "spans": []}\n'
            '{"text": "b", "spans": [{"start": 0, "end": 5, "label": "X"}]}\n'
            '{"text": 3, "spans": []}\n'
            '{"text": "c", "spans": []}\n'
        },
        [2, 3],
        2,
    ),
    "doccano": (
        {
            "a.jsonl": '{"text": "a", "label": [[0, 1, "X"]]}\n'
            '{"text": "b", "label": [[0, 1]]}\n'
            '{"text": "c"}\n'
            '{"text": "d", "label": []}\n'
        },
        [2, 3],
        2,
    ),
    "spacy-json": (
        {
            "a.json": '[["a", {"entities": [[0, 1, "X"]]}],\n'
            '["b", {"entities": [[0, 9, "X"]]}],\n'
            '{"words": []},\n'
            '{"text": "d", "ents": []}]'
        },
        [2, 3],
        2,
    ),
    "conllu": (
        {
            "a.conllu": "".join(
                f"1\t{word}\t_\t_\t_\t_\t_\t_\t{misc}\n\n"
                for word, misc in (
                    ("a", "_\tEntity=(e1-X)"),
                    ("b", "_"),
                    ("c", "_\tEntity=(e2-X"),
                    ("d", "_\t_"),
                )
            )
        },
        [3, 5],
        2,
    ),
    "columns": (
        {"a.conll": "a O\nb B-X\n\nc X\nd O\n\ne O\n\nf O\ng\n\nh O\n"},
        [4, 10],
        3,
    ),
    "brat": (
        {
            "d/a.txt": "One two.\n",
            "d/a.ann": "T1\tX 0 3\tOne\nstray line\nT2\tX 4 9\ttwo\n\nT3\tX 4 7\ttwo\n",
            "d/b.txt": "Three.\n",
            "d/b.ann": "T1\tX 0 5\tThree\n",
        },
        [2, 3],
        2,
    ),
    "webanno": (
        {
            "a.tsv": TSV + "#Text=a b\n1-1\t0-1\ta\tX\n1-2\t2-3\tb\t_\n\n"
            "#Text=c d\n2-1\t4-5\tx\tX\n\n"
            "#Text=e\n3-1\t8-9\n\n"
            "#Text=f\n4-1\t10-11\tf\tX\n\n"
        },
        [9, 12],
        2,
    ),
    "xml": (
        {
            "a.xml": "<corpus>\n<s>a <X>b</X></s>\n<s>c <X></X> d</s>\n<s>e</s>\n"
            "<s>f <entity>g</entity></s>\n<s>h</s>\n</corpus>\n"
        },
        [3, 5],
        3,
    ),
    "bioc": (
        {
            "a.bioc.xml": "<collection>\n<document><id>1</id>\n<passage><offset>0</offset>"
            "<text>a b</text></passage></document>\n<document><id>2</id>\n<passage><offset>0"
            '</offset><text>a</text>\n<annotation><infon key="type">X</infon>'
            '<location offset="0" length="9"/></annotation>\n<annotation/>'
            '<annotation><location offset="0" length="1"/></annotation></passage></document>\n'
            "<document><passage><offset>0</offset><text>c</text></passage></document></collection>"
        },
        [6, 7],
        2,
    ),
    "pubtator": (
        {
            "a.pubtator": "1|t|a b\n1|a|c\n1\t0\t1\ta\tX\n\n2|t|a\n2\t0\t1\tb\tX\n"
            "2\t0\t9\ta\tX\n\nx\n3|t|a\n"
        },
        [6, 7, 9],
        3,
    ),
    "blocks": (
        {"a.blocks": "a b\n0,2 X\n\nc d\nNN\n0,1 X\n\ne\n0,2 X\n\nf\n\n\n"},
        [5, 9],
        2,
    ),
    "brackets": ({"a.brackets": "[X a] b\n[X c\nd [X e]\nf]\ng\n"}, [2, 4], 3),
    "genia": (
        {
            "a.merged.xml": "<set>"
            + "".join(
                f"<article><articleinfo><bibliomisc>MEDLINE:{n}</bibliomisc></articleinfo>\n"
                f"<title><sentence>{content}</sentence></title></article>\n"
                for n, content in enumerate(
                    ['<w c="*">a</w>', "b", '<w c="*">c</w>', "d", '<w c="*">e</w>']
                )
            )
            + "</set>"
        },
        [3, 7],
        3,
    ),
    "ace": (
        {
            f"d/{name}{suffix}": content
            for name, end in (("a", 0), ("b", 99), ("c", 0), ("d", 999))
            for suffix, content in (
                (".sgm", "<DOC><TEXT>Bob came.</TEXT></DOC>\n"),
                (
                    ".apf.xml",
                    f'<source_file><document DOCID="{name}">\n<entity TYPE="PER"><entity_mention>'
                    f'<extent>\n<charseq START="0" END="{end}">B</charseq></extent>'
                    "</entity_mention></entity></document></source_file>",
                ),
            )
        },
        [3, 3],
        2,
    ),
}
BINARY = {"docbin", "datasets"}
"""Written by external libraries; tests/corpus/test_interop_formats.py damages them."""


def write(files, folder):
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    first = next(iter(files))
    return folder / first.split("/")[0]


def test_every_format_has_a_sample():
    assert set(SAMPLES) | BINARY == set(registry.names())


@pytest.mark.parametrize("name", SAMPLES)
def test_all_bad_records_are_listed_at_once(name, tmp_path):
    files, lines, _ = SAMPLES[name]
    path = write(files, tmp_path)
    with pytest.raises(BadRecordsError, match=f"^{len(lines)} bad records:") as caught:
        list(read(path, format=name))
    assert [problem.line for problem in caught.value.problems] == lines
    for problem in caught.value.problems:
        assert str(tmp_path) in str(problem.path)
        assert str(problem).split("\n")[0] in str(caught.value)
    assert "--skip-bad" in str(caught.value)


@pytest.mark.parametrize("name", SAMPLES)
def test_bad_records_can_be_skipped_and_are_reported(name, tmp_path):
    files, lines, left = SAMPLES[name]
    path = write(files, tmp_path)
    report = Report()
    sentences = list(read(path, format=name, options=Options(skip_bad=True), report=report))
    assert len(sentences) == left
    assert report.counts["skipped", "bad record"] == len(lines)
    skipped = [event for event in report.examples if event.kind == "skipped"]
    assert [event.line for event in skipped] == lines


@pytest.mark.parametrize("name", SAMPLES)
def test_check_lists_them_all(name, tmp_path):
    files, lines, _ = SAMPLES[name]
    findings = check([write(files, tmp_path)], format=name)
    assert findings.counts["error", "bad data"] == len(lines)


def test_brat_keeps_the_good_lines_of_a_document_with_bad_ones(tmp_path):
    files, _, _ = SAMPLES["brat"]
    first, _ = read(write(files, tmp_path), options=Options(skip_bad=True))
    assert [(s.start, s.end) for s in first.entities] == [(0, 1), (1, 2)]


def test_one_bad_record_is_an_error_of_its_own(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"tokens": ["a"], "entities": []}\n{}\n')
    with pytest.raises(DataError, match=r'a\.jsonl:2: expected "tokens"') as caught:
        list(read(path, format="native"))
    assert list(caught.value.problems) == [caught.value]
    *_, remedy = str(caught.value).split("\n")
    assert remedy.startswith("  correct it, or leave it out with --skip-bad")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_what_cannot_be_skipped_is_not_advised_to_be(tmp_path):
    path = tmp_path / "a.conll"
    path.write_bytes("Zoé B-X\n".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8") as caught:
        list(read(path))
    assert "skip-bad" not in str(caught.value)


def test_a_file_of_bad_records_only_is_an_error_even_if_they_may_be_skipped(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("{\n" * 3)
    with pytest.raises(BadRecordsError, match="3 bad records"):
        list(read(path, format="native", options=Options(skip_bad=True)))


def test_the_list_is_cut_but_the_count_is_not(tmp_path):
    path = tmp_path / "a.jsonl"
    row = '{{"tokens": ["a"], "entities": [[0, {}, "X"]]}}\n'
    path.write_text("".join(row.format(end) for end in range(2, 3002)))
    with pytest.raises(BadRecordsError) as caught:
        list(read(path, format="native"))
    assert caught.value.count == 3000
    assert len(caught.value.problems) == 1000
    shown = str(caught.value).split("\n")
    assert shown[0] == "3,000 bad records:"
    assert shown[-2] == "  ... and 2,980 more"
    assert len(shown) == 43
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_good_sentences_come_before_the_error(tmp_path):
    files, _, left = SAMPLES["native"]
    sentences = read(write(files, tmp_path))
    assert [next(sentences).tokens for _ in range(left)] == [["a"], ["b"], ["c"]]
    with pytest.raises(BadRecordsError):
        next(sentences)


def test_records_on_one_line_have_numbers(tmp_path: Path) -> None:
    tasks = [
        {"data": {"text": "Paris"}, "annotations": [{"result": [{"value": value}]}]}
        for value in (
            {"start": 0, "end": 5, "labels": ["LOC"]},
            {"start": 0, "end": 50, "labels": ["LOC"]},
            {"start": 7, "end": 5, "labels": ["LOC"]},
        )
    ]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks))
    with pytest.raises(DataError) as error:
        list(read(path, format="labelstudio"))
    starts = [problem.message[:9] for problem in error.value.problems]
    assert starts == ["record 2:", "record 3:"]


def test_equal_problems_are_listed_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    rows = ['{"tokens": ["a"], "labels": []}'] * 30 + [
        '{"tokens": ["a"], "entities": [[0, 5, "X"]]}'
    ]
    path.write_text("\n".join(rows))
    with pytest.raises(BadRecordsError) as caught:
        list(read(path))
    first, equal, _, other, *_ = str(caught.value).split("\n")
    assert first == "31 bad records:"
    assert equal.startswith('  30 records: the record has no "entities" but has "labels"')
    assert equal.endswith(f"(first: {path}:1)")
    assert other.startswith(f"  {path}:31: entity 0")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".prodigy.jsonl"])
@pytest.mark.parametrize("skip_bad", [False, True])
def test_json_in_another_encoding_is_refused_as_a_whole(
    suffix: str, skip_bad: bool, tmp_path: Path
) -> None:
    key = "spans" if "prodigy" in suffix else "entities"
    records = [{"text": text, key: []} for text in ("{", "Bob left", "Zoé left", "Noé left")]
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    text = f"[{', '.join(lines)}]" if suffix == ".json" else "\n".join(["{}", *lines, ""])
    path = tmp_path / f"a{suffix}"
    for encoding, problem, line in (
        ("latin-1", "byte 0xe9 is not UTF-8", 1 if suffix == ".json" else 4),
        ("utf-16", "the file is UTF-16", 1),
    ):
        path.write_bytes(text.encode(encoding))
        with pytest.raises(DataError) as caught:
            list(
                read(
                    path,
                    format="prodigy" if "prodigy" in suffix else "native",
                    options=Options(skip_bad=skip_bad),
                )
            )
        last = caught.value.problems[-1]
        assert (last.message, last.line, last.hint) == (problem, line, "save the file as UTF-8")
        assert "skip-bad" not in str(last)
