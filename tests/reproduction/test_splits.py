"""Where the three splits of a corpus are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.toy_corpus import bracketed
from innermost.corpus.reading import ReadingOptions, read_corpus
from innermost.errors import DataError, UsageError
from innermost.reproduction.splits import find_splits
from reproduction.small_corpora import ACE, CONLL, ace_folder, conll_folder, native_folder


def sentences_of(folder: Path, split: str) -> list[list[str]]:
    source = find_splits(folder)[split]
    reading = source.reading(ReadingOptions(tokenizer="whitespace"))
    return [sentence.tokens for sentence in read_corpus(source.path, reading)]


def test_files_by_their_names(tmp_path: Path) -> None:
    folder = native_folder(tmp_path / "toy")
    names = {split: source.path.name for split, source in find_splits(folder).items()}
    assert names == {"train": "train.jsonl", "dev": "dev.jsonl", "test": "test.jsonl"}


def test_conlls_own_names(tmp_path: Path) -> None:
    folder = conll_folder(tmp_path / "conll")
    assert find_splits(folder)["dev"].path.name == "eng.testa"
    assert sentences_of(folder, "test") == [bracketed(text).tokens for text in CONLL] * 2


def test_ace_with_lists_of_documents(tmp_path: Path) -> None:
    folder = ace_folder(tmp_path / "ace")
    assert sentences_of(folder, "train") == [bracketed(text).tokens for text in ACE] * 4
    assert sentences_of(folder, "test") == [bracketed(text).tokens for text in ACE]


def test_a_folder_for_each_split(tmp_path: Path) -> None:
    ace = ace_folder(tmp_path / "ace")
    whole = tmp_path / "split"
    for split in ("train", "dev", "test"):
        (whole / split).mkdir(parents=True)
        for file in (ace / "ldc" / "English" / "nw").glob("NW_1*"):
            (whole / split / file.name).write_bytes(file.read_bytes())
    assert sentences_of(whole, "dev") == [bracketed(text).tokens for text in ACE]


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    folder = native_folder(tmp_path / "toy")
    (folder / "dev.jsonl").unlink()
    with pytest.raises(DataError, match=r"toy: found nothing for the dev data"):
        find_splits(folder)


def test_two_files_for_one_split_are_refused(tmp_path: Path) -> None:
    folder = native_folder(tmp_path / "toy")
    (folder / "test.conll").write_text("a\tO\n")
    with pytest.raises(DataError, match=r"found test\.conll, test\.jsonl for the test data"):
        find_splits(folder)


def test_a_folder_beside_a_file_does_not_matter(tmp_path: Path) -> None:
    folder = native_folder(tmp_path / "toy")
    (folder / "train").mkdir()
    assert find_splits(folder)["train"].path.name == "train.jsonl"


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a folder"):
        find_splits(tmp_path / "nowhere")
