"""A folder is read as one format; its files of other formats are noted, and nothing else."""

from __future__ import annotations

import pytest

from innermost.corpus import Report, read
from innermost.corpus.conversion import convert
from innermost.corpus.quality.checks import check
from innermost.corpus.splits import Splits

CASE = ("note", "files not read, because the folder is read as brat")


@pytest.fixture
def mixed(tmp_path):
    folder = tmp_path / "mixed"
    (folder / "more" / ".cache").mkdir(parents=True)
    (folder / "a.txt").write_text("Bob left .")
    (folder / "a.ann").write_text("T1\tPER 0 3\tBob\n")
    others = ("b.jsonl", "more/c.conll.gz")
    about = ("README.md", "LICENSE", "annotation.conf", "run.py", ".b.jsonl")
    for name in (*others, *about, "license-data.xml", "more/.cache/c.jsonl"):
        (folder / name).write_bytes(b"")
    return folder


def _noted(report):
    events = [event for event in report.examples if (event.kind, event.what) == CASE]
    assert len(events) == report.counts[CASE]
    return [(event.path, event.detail) for event in events]


def test_files_of_other_formats_are_noted(mixed):
    report = Report()
    assert len(list(read(mixed, report=report))) == 1
    assert _noted(report) == [(str(mixed), "b.jsonl"), (str(mixed), "more/c.conll.gz")]


def test_conversion_notes_them_once_however_often_it_reads(mixed, tmp_path):
    splits = Splits.parse(["train=0.5", "dev=0.5"], seed=0)
    result = convert(mixed, tmp_path / "o-{split}.jsonl", splits=splits)
    assert result.is_kept
    assert len(_noted(result.report)) == 2


def test_in_a_check_they_are_notes_not_warnings(mixed):
    report = check([mixed])
    assert len(_noted(report)) == 2
    assert not any("not read" in what for kind, what in report.counts if kind == "warning")


def test_a_folder_of_one_format_and_a_file_need_no_note(mixed):
    (mixed / "b.jsonl").unlink()
    (mixed / "more" / "c.conll.gz").unlink()
    for source in (mixed, mixed / "a.ann"):
        report = Report()
        list(read(source, report=report))
        assert not report.counts
