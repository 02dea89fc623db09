"""What is said about the input of a run before it starts."""

from __future__ import annotations

from pathlib import Path

from helpers.cli import innermost, ok

WRAPPED = """\
The Ministry of Foreign Affairs of the Republic of Poland said on Monday
that Anna Kowalska of the University of Warsaw would travel to Brussels
with the delegation of the European Commission in order to discuss the
budget of the next years with the ministers of all the member states who
had asked for it. The Ministry of Foreign Affairs of the Republic of
Poland said that the University of Warsaw would travel to Brussels with
the delegation of the European Commission in order to discuss the budget
of the next years with the ministers of all the member states who had
asked for it.
"""


def test_files_that_are_not_read_are_listed(tmp_path: Path, random_folder: Path) -> None:
    folder = tmp_path / "in"
    (folder / ".hidden").mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"text": "the river"}\n')
    for name in ("b.eml", "c.html", "d.md", "e.doc", ".hidden/f.md", "_g.md"):
        (folder / name).write_text("the river\n")
    out = folder / "out"
    arguments = ("predict", "--model", random_folder, "--input", folder, "--output", out)
    first = ok(*arguments, "--jobs", 1)
    assert f"note: {folder}: 4 files not read, because their names do not end in" in first.err
    assert ".parquet: b.eml, c.html, d.md and 1 more\n" in first.err
    again = ok(*arguments, "--resume")
    assert "4 files not read" in again.err, "the files of the output do not count"


def test_hard_wrapped_text_is_named(tmp_path: Path, random_folder: Path) -> None:
    (tmp_path / "wrapped.txt").write_text(WRAPPED)
    (tmp_path / "lines.txt").write_text("the river\nthe sea\n")
    arguments = ("predict", "--model", random_folder, "--input", tmp_path / "*.txt")
    done = ok(*arguments, "--output", tmp_path / "out", "--jobs", 1)
    assert f"hard-wrapped text, in which every line is a row: {tmp_path}/wrapped.txt; " in done.err
    assert "11 rows" in done.err


def test_a_file_in_utf_16_stops_a_run_before_it_starts(tmp_path: Path, random_folder: Path) -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        path = tmp_path / f"{encoding}.txt"
        path.write_text("the river\nthe sea\n", encoding=encoding)
        out = tmp_path / f"{encoding}-out"
        failed = innermost(
            *("predict", "--model", random_folder, "--input", path, "--output", out, "--jobs", 1)
        )
        assert failed.code == 1
        assert f"{path}:1: the file is UTF-16" in failed.err
        assert not out.exists()
