"""Read and write corpora: files to sentences with entity spans, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from innermost.corpus import registry
from innermost.corpus.context import Context
from innermost.corpus.format import Format, Options
from innermost.corpus.other_files import note_other_files
from innermost.corpus.report import Event, Report
from innermost.corpus.sentence import Sentence, documents
from innermost.corpus.validation import checked
from innermost.files.source import Source

__all__ = [
    "Context",
    "Event",
    "Format",
    "Options",
    "Report",
    "Sentence",
    "Source",
    "documents",
    "read",
    "registry",
    "write",
]


def read(
    path: str | Path,
    *,
    format: str | None = None,
    options: Options | None = None,
    report: Report | None = None,
) -> Iterator[Sentence]:
    """The sentences of a corpus, one at a time; ``-`` is standard input.

    Without ``format`` it is detected from the name and the first bytes. What was changed or could
    not be kept is counted in ``report``.
    """
    source = Source(path)
    chosen = registry.for_input(source, format)
    report = Report() if report is None else report
    note_other_files(source, chosen, report)
    return chosen.read(source, options or Options(), report)


def write(
    sentences: Iterable[Sentence],
    path: str | Path,
    *,
    format: str | None = None,
    options: Options | None = None,
    report: Report | None = None,
) -> None:
    """Write a corpus; without ``format``, the suffix of ``path`` decides.

    Sentences that :func:`read` would refuse are errors, which leave ``path`` as it was.
    """
    chosen = registry.for_output(path, format)
    chosen.write(checked(sentences), path, options or Options(), report or Report())
