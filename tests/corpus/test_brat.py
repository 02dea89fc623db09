from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from innermost.corpus import Report, Sentence, read
from innermost.corpus.format import Options
from innermost.corpus.formats.brat import FORMAT
from innermost.errors import DataError, UsageError
from innermost.files.source import Source
from innermost.nest import Span

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
TEXT = "The wife of Bob came.\nBob left.\n"


def pair(folder, ann, text=TEXT, name="a"):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text(text)
    (folder / f"{name}.ann").write_text(ann)
    return folder


def read_pair(path, report=None, **settings):
    options = Options(tokenizer="whitespace", settings={"sentences": "lines", **settings})
    return list(FORMAT.read(Source(path), options, report or Report()))


def test_entities_of_a_pair(tmp_path):
    folder = pair(tmp_path / "c", "T2\tPER 12 15\tBob\nT1\tPER 0 15\tThe wife of Bob\n")
    for path in (folder, folder / "a.ann", folder / "a.txt"):
        assert FORMAT.sniff(Source(path))
        first, second = read_pair(path)
        assert first.tokens == ["The", "wife", "of", "Bob", "came."]
        assert first.entities == [Span(0, 4, "PER"), Span(3, 4, "PER")]
        assert first.doc == second.doc == "a"
        assert first.text + second.text == TEXT


def test_a_tar_archive_is_read_as_the_folder_in_it(tmp_path):
    pair(tmp_path / "c", "T1\tPER 12 15\tBob\n")
    archive = tmp_path / "c.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "c", arcname="deep/c")
    assert FORMAT.sniff(Source(archive))
    assert read_pair(archive) == read_pair(tmp_path / "c")


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/escaped", "a/" * 200 + "b" * 300])
def test_names_in_an_archive_are_never_paths(tmp_path, name):
    archive = tmp_path / "odd.tar"
    with tarfile.open(archive, "w") as tar:
        for path, content in ((f"{name}.txt", b"Bob"), (name, b""), (f"{name}.ann", b"x\n")):
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(DataError, match="not a brat annotation") as caught:
        read_pair(archive)
    assert caught.value.path == f"{archive}/{name}.ann"
    assert [path.name for path in tmp_path.iterdir()] == ["odd.tar"]


def test_discontinuous_spans(tmp_path):
    folder = pair(tmp_path / "c", "T1\tPER 4 8;12 15\twife Bob\n")
    report = Report()
    assert not read_pair(folder, report)[0].entities
    assert dict(report.counts) == {("lost", "discontinuous span"): 1}
    report = Report()
    assert read_pair(folder, report, discontinuous="hull")[0].entities == [Span(1, 4, "PER")]
    assert dict(report.counts) == {("changed", "discontinuous span"): 1}


def test_a_span_broken_at_a_line_end_is_one_piece(tmp_path):
    folder = pair(tmp_path / "c", "T1\tX 16 21;22 25\tcame. Bob\n")
    report = Report()
    (sentence,) = read_pair(folder, report)
    assert sentence.entities == [Span(4, 6, "X")]
    assert dict(report.counts) == {("changed", "entity across sentences"): 1}


def test_other_annotations_are_reported(tmp_path):
    lines = "R1\tx Arg1:T1 Arg2:T1\nE1\tx:T1\nA1\tx T1\n#1\tNote T1\tx\n*\tx T1 T1\n"
    report = Report()
    read_pair(pair(tmp_path / "c", lines), report)
    assert report.total("lost") == 5
    assert ("lost", "relation") in report.counts


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("T1\tPER 11 14\tBob", "says 'Bob', the text has ' Bo'", "12 15: the offsets are off by 1"),
        ("T1\tPER 12 15\tEve", "says 'Eve'", "not the one that was annotated"),
        ("T1\tPER 30 99\tx", "outside the text", ""),
        ("T1\tPER 9 x\tx", "not a brat annotation", "T1 TAB label"),
        ("nonsense", "not a brat annotation", "T1 TAB label"),
    ],
)
def test_errors_name_file_and_line(tmp_path, line, message, hint):
    folder = pair(tmp_path / "c", f"\n{line}\n")
    with pytest.raises(DataError, match=message) as caught:
        read_pair(folder)
    assert caught.value.line == 2
    assert caught.value.path.endswith("a.ann")
    assert hint in (caught.value.hint or "")


def test_annotations_without_a_text(tmp_path):
    folder = pair(tmp_path / "c", "")
    (folder / "b.ann").write_text("")
    with pytest.raises(DataError, match=r"no \.txt"):
        read_pair(folder)


def test_fragments_may_be_in_any_order(tmp_path):
    for text in ("Bob wife", "wife Bob"):
        folder = pair(tmp_path / "c", f"T1\tPER 12 15;4 8\t{text}\nT2\tX 26 31;22 25\tleft. Bob\n")
        report = Report()
        first, second = read_pair(folder, report, discontinuous="hull")
        assert first.entities == [Span(1, 4, "PER")]
        assert second.entities == [Span(0, 2, "X")]
        assert report.counts["changed", "discontinuous span"] == 1
    assert not read_pair(folder)[0].entities


def test_annotations_can_be_chosen_in_brat(tmp_path):
    sentence = Sentence(["a", "b"], [Span(0, 2, "DNA"), Span(0, 1, "protein")], doc="d")
    FORMAT.write([sentence], tmp_path / "out", Options(), Report())
    conf = (tmp_path / "out" / "annotation.conf").read_text()
    assert conf.startswith("[entities]\nDNA\nprotein\n\n[relations]\n<OVERLAP>")
    assert [line for line in conf.split("\n") if line.startswith("[")] == [
        "[entities]",
        "[relations]",
        "[events]",
        "[attributes]",
    ]
    assert not (tmp_path / "out" / "visual.conf").exists()


def test_labels_with_spaces_come_back(tmp_path):
    labels = ["Disease or Syndrome", "Disease_or_Syndrome", "x\u00a0y", "x y", "plain"]
    sentence = Sentence(["a", "b"], [Span(0, 2, label) for label in labels], doc="d")
    sentence.scores = {Span(0, 2, "x y"): 0.25}
    report = Report()
    FORMAT.write([sentence], tmp_path / "out", Options(tokenizer="whitespace"), report)
    assert not report.counts
    for path in (tmp_path / "out", tmp_path / "out" / "d.ann"):
        (back,) = read_pair(path)
        assert sorted(span.label for span in back.entities) == sorted(labels)
        assert back.scores == sentence.scores
    ann = (tmp_path / "out" / "d.ann").read_text()
    assert "T2\tDisease_or_Syndrome_2 0 3\ta b\n" in ann


def test_the_names_for_drawing_of_other_corpora_are_not_labels(tmp_path):
    folder = pair(tmp_path / "c", "T1\tPER 12 15\tBob\n")
    (folder / "visual.conf").write_text("[labels]\nPER | Person | Per\n")
    assert read_pair(folder)[0].entities == [Span(3, 4, "PER")]


def test_scores_are_notes(tmp_path):
    scores = {Span(0, 2, "X"): 0.9312, Span(0, 1, "Y"): 1e-05}
    given = Sentence(["a", "b"], [*scores, Span(1, 2, "Y")], doc="d", scores=scores)
    report = Report()
    FORMAT.write([given], tmp_path / "out", Options(tokenizer="whitespace"), report)
    assert "#1\tAnnotatorNotes T1\tscore=0.9312\n" in (tmp_path / "out" / "d.ann").read_text()
    (back,) = read_pair(tmp_path / "out", report)
    assert back.scores == scores
    assert not report.counts
    notes = "T1\tX 0 3\tThe\n#1\tAnnotatorNotes T1\tscore=2.5\n#2\tAnnotatorNotes T1\twhy?\n"
    read_pair(pair(tmp_path / "other", notes), report)
    assert dict(report.counts) == {("lost", "note"): 2}


def test_numbers_too_long_are_bad_lines(tmp_path):
    folder = pair(tmp_path / "c", f"T1\tPER 0 {'9' * 5000}\tx\n")
    with pytest.raises(DataError, match="not a brat annotation"):
        read_pair(folder)


def test_other_tokens_are_reported(tmp_path):
    given = [Sentence(["a", "b c"], [Span(0, 1, "two words")], id="1")]
    report = Report()
    FORMAT.write(given, tmp_path / "out", Options(tokenizer="whitespace"), report)
    assert set(report.counts) == {
        ("lost", "sentence id"),
        ("changed", "tokens"),
        ("changed", "document name"),
    }


def test_a_folder_in_use_is_not_written_to(tmp_path):
    folder = pair(tmp_path / "c", "")
    with pytest.raises(UsageError, match="not empty"):
        FORMAT.write([Sentence(["a"])], folder, Options(), Report())
    with pytest.raises(UsageError, match="names a file"):
        FORMAT.write([Sentence(["a"])], tmp_path / "x.ann", Options(), Report())


def test_litbank():
    folder = DATA / "litbank"
    if not folder.exists():
        pytest.skip("the LitBank corpus is not here")
    options = Options(
        tokenizer="whitespace",
        inside_token="widen",
        settings={"sentences": "lines", "name_suffix": "_brat"},
    )
    documents: dict[str, list[Sentence]] = {}
    report = Report()
    source = Source(folder / "raw" / "litbank-entities-brat.tar.xz")
    for sentence in FORMAT.read(source, options, report):
        documents.setdefault(sentence.doc, []).append(sentence)
    assert dict(report.counts) == {("changed", "span widened to whole tokens"): 21}
    for split in ("train", "dev", "test"):
        names = (folder / "raw" / f"{split}.ids").read_text().split()
        got = [s for name in names for s in documents[name.removesuffix("_brat.tsv")]]
        assert [(s.doc, s.tokens, s.entities) for s in got] == [
            (s.doc, s.tokens, s.entities) for s in read(folder / f"{split}.jsonl")
        ]


def test_tabs_between_label_and_offsets(tmp_path):
    folder = pair(tmp_path / "c", "T1\tPER\t0\t15\tThe wife of Bob\nT2\tPER\t12\t15\tBob\n")
    report = Report()
    first, _ = read_pair(folder, report)
    assert first.entities == [Span(0, 4, "PER"), Span(3, 4, "PER")]
    assert not report.counts


def test_the_files_of_the_bionlp_shared_tasks(tmp_path):
    folder = pair(tmp_path / "c", "T1\tPER 12 15\tBob\n")
    (folder / "a.ann").rename(folder / "a.a1")
    (folder / "a.a2").write_text("T2\tMove 16 20\tcame\nE1\tMove:T2 Theme:T1\n")
    for path in (folder, folder / "a.a1", folder / "a.txt"):
        assert FORMAT.sniff(Source(path))
        report = Report()
        first, _ = read_pair(path, report)
        assert first.entities == [Span(3, 4, "PER")]
        assert dict(report.counts) == {("lost", "event"): 1}
    (folder / "a.ann").write_text("T1\tPER 0 15\tThe wife of Bob\n")
    report = Report()
    first, _ = read_pair(folder, report)
    assert first.entities == [Span(0, 4, "PER")]
    assert report.counts["odd", "two files of annotations"] == 1


def test_a_document_that_is_there_twice_is_named(tmp_path):
    pair(tmp_path, "T1\tPER 12 15\tBob\n")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"Ann left."))
    with pytest.raises(DataError, match=r"the same document as .*a\.txt") as error:
        read_pair(tmp_path)
    assert error.value.path.endswith((".txt", ".txt.gz"))
