"""Text on disk as numbers: nothing lost, nothing read twice, damage noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from innermost.errors import CheckpointError, DataError
from innermost.pretraining.encoded_text import (
    HELD_OUT_EVERY,
    Numbering,
    finish_text,
    is_complete,
    open_text,
    write_text,
)
from innermost.pretraining.text import lines, sentences
from pretraining.pretraining_text import write_lines


def _write(folder: Path, text: list[list[int]], names: list[str] | None = None) -> None:
    halves = [text[: len(text) // 2], text[len(text) // 2 :]]
    *_, last = write_text(folder, halves, np.int32)
    assert (last.lines, last.units) == (len(text), sum(map(len, text)))
    finish_text(folder, np.int32, names or [])


def test_every_number_is_in_one_of_the_two_parts_in_order(tmp_path: Path) -> None:
    text = [[number, number + 1, -number] for number in range(5 * HELD_OUT_EVERY + 3)]
    assert not is_complete(tmp_path)
    _write(tmp_path, text)
    assert is_complete(tmp_path)
    found = open_text(tmp_path)
    held_out = text[::HELD_OUT_EVERY]
    kept = [line for number, line in enumerate(text) if number % HELD_OUT_EVERY]
    assert found.heldout.tolist() == [n for line in held_out for n in line]
    assert found.train.tolist() == [n for line in kept for n in line]


def test_counts_are_those_of_the_training_part(tmp_path: Path) -> None:
    numbering = Numbering(["end"])
    text = [numbering([word, "end"]) for word in ["a", "b", "b", "a", "c", "b"]]
    _write(tmp_path, text, numbering.names)
    found = open_text(tmp_path)
    assert found.names == ["end", "a", "b", "c"]
    assert found.counts(4).tolist() == [5, 1, 3, 1]  # the first line is held out


def test_a_text_cut_short_is_an_error(tmp_path: Path) -> None:
    _write(tmp_path, [[1, 2], [3, 4]])
    (tmp_path / "train.numbers").write_bytes(b"\0" * 4)
    with pytest.raises(CheckpointError, match="damaged"):
        open_text(tmp_path)


def test_a_single_line_is_too_little(tmp_path: Path) -> None:
    _write(tmp_path, [[1, 2, 3]])
    with pytest.raises(DataError, match="too little text"):
        open_text(tmp_path)


def test_lines_of_plain_and_compressed_files(tmp_path: Path) -> None:
    plain = write_lines(tmp_path / "a.txt", ["one line", "", "  another  "])
    packed = write_lines(tmp_path / "b.txt.gz", ["a third"])
    assert list(lines([plain, packed])) == ["one line", "another", "a third"]


def test_several_processes_give_the_same_sentences_in_the_same_order(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.txt", [f"Line {n} begins. It ends, too." for n in range(1203)])
    alone = [line for batch in sentences([path], "ptb", processes=1) for line in batch]
    together = [line for batch in sentences([path], "ptb", processes=2) for line in batch]
    assert alone == together
    assert len(alone) == 1203
    assert alone[7] == [["Line", "7", "begins", "."], ["It", "ends", ",", "too", "."]]
