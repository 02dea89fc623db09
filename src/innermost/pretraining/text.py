"""Plain text files as a stream of lines, and of tokenized sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from innermost import text
from innermost.cpus import available_cpus
from innermost.files.source import Source

_BATCH = 500
"""Lines tokenized at once."""
_AHEAD = 4
"""Batches per process that are read ahead of their results."""


def lines(paths: Sequence[str | Path]) -> Iterator[str]:
    """The non-blank lines of plain or compressed files."""
    for path in paths:
        for _, line in Source(path).text_lines():
            if line := line.strip():
                yield line


def batches(paths: Sequence[str | Path]) -> Iterator[list[str]]:
    """The same, a few hundred lines at a time."""
    stream = lines(paths)
    while batch := list(islice(stream, _BATCH)):
        yield batch


def sentences(
    paths: Sequence[str | Path], tokenizer: str, *, processes: int | None = None
) -> Iterator[list[list[list[str]]]]:
    """For each batch of lines, its lines; each a list of sentences, each a list of tokens.

    Memory stays bounded however large the files are. ``processes`` defaults to all cores; a script
    that uses more than one needs ``if __name__ == "__main__":`` around its work.
    """
    split = partial(_split, text.tokenizer(tokenizer).name)
    processes = processes or available_cpus()
    stream = batches(paths)
    if processes == 1:
        yield from map(split, stream)
        return
    # A fresh interpreter for each process: forking one with threads in it can hang.
    with get_context("spawn").Pool(processes) as pool:
        while ahead := list(islice(stream, processes * _AHEAD)):
            yield from pool.map(split, ahead, chunksize=1)


def _split(tokenizer: str, batch: list[str]) -> list[list[list[str]]]:
    split = text.tokenizer(tokenizer).split
    return [
        [[line[start:end] for start, end in sentence] for sentence in split(line)] for line in batch
    ]
