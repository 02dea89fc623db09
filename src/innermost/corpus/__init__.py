"""Files to sentences with spans, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from innermost.corpus import native
from innermost.corpus.report import Event, Report
from innermost.corpus.sentence import Sentence, documents
from innermost.errors import DataError

__all__ = ["Event", "Report", "Sentence", "documents", "read"]


def read(path: str | Path, *, report: Report | None = None) -> Iterator[Sentence]:
    """The sentences of a corpus file, one at a time."""
    try:
        file = Path(path).open("rb")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    with file:
        yield from native.read_lines(file, path, report or Report())
