"""What Windows forbids, emulated: names of devices, separators, renaming a file that is open."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path, PureWindowsPath

import pytest

from corpus.cases import Case, each_case, options, skip_unless_installed
from helpers.cli import ok
from innermost.corpus import Report, Sentence, read, write
from innermost.files.atomic import atomic_folder, write_atomically
from innermost.nest import Span

FORBIDDEN = set('<>:"/\\|?*') | {chr(code) for code in range(32)}
DEVICES = {"CON", "PRN", "AUX", "NUL"} | {
    f"{name}{n}" for name in ("COM", "LPT") for n in range(10)
}
NAMES = [
    "CON",
    "con.report",
    "nul ",
    "Lpt1",
    "COM¹",
    "aux.",
    "a:b",
    "C:\\temp",
    "a/b",
    "x?",
    ".",
    "..",
]
HARMLESS = ["console", "Conrad", "null", "COM", "COM10", "10.1000", "nul-1", "a b", "日本"]


def is_valid_on_windows(name: str) -> bool:
    stem = name.partition(".")[0].rstrip(" ").upper().translate(str.maketrans("¹²³", "123"))
    is_device = stem in DEVICES
    return not FORBIDDEN & set(name) and not is_device and name == name.rstrip(". ")


def documents(names: list[str]) -> list[Sentence]:
    return [Sentence(["Ada", "slept"], [Span(0, 1, "PER")], doc=name) for name in names]


@pytest.mark.parametrize("format", ["brat", "ace", "webanno"])
def test_names_of_documents_become_names_of_files(format: str, tmp_path: Path) -> None:
    report = Report()
    write(documents([*NAMES, *HARMLESS]), tmp_path / "folder", format=format, report=report)
    files = [path.relative_to(tmp_path / "folder") for path in (tmp_path / "folder").rglob("*")]
    assert [file for file in files if not all(map(is_valid_on_windows, file.parts))] == []
    back = list(read(tmp_path / "folder", format=format))
    assert len(back) == len(NAMES) + len(HARMLESS)
    changed = report.counts["changed", "document name"]
    kept = {sentence.doc for sentence in back} & {*NAMES, *HARMLESS}
    assert kept >= set(HARMLESS)
    assert len(kept) == len(back) - changed


def test_backslashes_in_the_names_of_an_archive(tmp_path: Path) -> None:
    """Some tools for Windows write them; they are separators there, and part of a name here."""
    files = {"data\\one.txt": b"Ada slept", "data\\one.ann": b"T1\tPER 0 3\tAda\n"}
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    (sentence,) = read(tmp_path / "a.tar", format="brat")
    assert sentence.entities == [Span(0, 1, "PER")]
    assert PureWindowsPath(sentence.doc or "").name == "one"


def test_a_drive_letter_is_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(documents(["one"]), "C:\\data.jsonl", format="native")
    ok("convert", "C:\\data.jsonl", "D:\\data.conll")
    ok("convert", "C:\\data.jsonl", "E:\\{split}.jsonl", "--split", "train=1")
    assert [s.tokens for s in read("D:\\data.conll")] == [["Ada", "slept"]]


@pytest.fixture
def strict_renaming(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse to rename what this process has open or mapped; the names that were renamed."""
    maps, descriptors = Path("/proc/self/maps"), Path("/proc/self/fd")
    if not maps.exists():
        pytest.skip("needs /proc")
    renamed: list[str] = []
    rename = os.replace

    def replace(source: str | Path, target: str | Path, **kwargs: object) -> None:
        inside = os.path.realpath(source)
        links = (str(entry.readlink()) for entry in descriptors.iterdir() if entry.is_symlink())
        used = [link for link in links if link == inside or link.startswith(f"{inside}/")]
        assert not used, f"renamed while open: {used}"
        assert inside not in maps.read_text(encoding="utf-8"), f"renamed while mapped: {inside}"
        renamed.append(str(target))
        rename(source, target)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(Path, "replace", lambda self, target: replace(self, target))
    return renamed


@each_case
def test_no_file_is_open_when_it_gets_its_name(
    case: Case, tmp_path: Path, strict_renaming: list[str]
) -> None:
    skip_unless_installed(case.format)
    path = tmp_path / case.file
    for _ in range(1 if path.suffix == "" else 2):  # a file may replace one that exists
        write(documents(["one", "two"]), path, format=case.format, options=options(case.writing))
    assert str(path) in strict_renaming


def test_cached_vectors_are_not_mapped_when_they_get_their_name(
    tmp_path: Path, strict_renaming: list[str]
) -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    import numpy as np

    from innermost.network import vector_cache

    vector_cache._write(tmp_path / "a.npy", 3, iter([np.ones((2, 4)), np.ones((1, 4))]))
    assert np.load(tmp_path / "a.npy").shape == (3, 4)
    assert strict_renaming == [str(tmp_path / "a.npy")]


def test_the_emulation_notices_open_files(tmp_path: Path, strict_renaming: list[str]) -> None:
    with (tmp_path / "a").open("wb"), pytest.raises(AssertionError, match="while open"):
        (tmp_path / "a").replace(tmp_path / "b")
    write_atomically(tmp_path / "c", b"x")
    with pytest.raises(AssertionError, match="while open"), atomic_folder(tmp_path / "d") as folder:
        file = (folder / "e").open("wb")
    file.close()
    assert strict_renaming == [str(tmp_path / "c")]
