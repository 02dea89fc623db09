"""The interface of a corpus format: one object that reads and writes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from innermost.corpus.context import Context, Problems, complete
from innermost.corpus.options import Options
from innermost.corpus.renaming import renamed
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.files.source import Source

__all__ = ["HOLDABLE", "Context", "Format", "Options"]

HOLDABLE = ("crossings", "duplicates", "tokens", "gaps", "doc", "id", "extra", "scores")
"""Crossing and duplicate spans; the tokens; the text between them; names of documents and of
sentences; other keys; the scores of entities."""


class Format(ABC):
    """Reads and writes one kind of corpus file. Instances hold no state."""

    name: ClassVar[str]
    description: ClassVar[str]
    """One line."""
    suffixes: ClassVar[tuple[str, ...]]
    """Endings of file names, with the dot, that select the format of an output."""
    reading_settings: ClassVar[tuple[str, ...]] = ()
    writing_settings: ClassVar[tuple[str, ...]] = ()
    holds: ClassVar[frozenset[str]]
    """What it stores of ``HOLDABLE``, in addition to the text and nested entities."""
    extra: ClassVar[str | None] = None
    """The extra that it needs: ``pip install 'innermost[extra]'``."""
    is_folder: ClassVar[bool] = False
    """Whether it writes a folder."""
    folder_suffixes: ClassVar[tuple[str, ...]] = ()
    """Endings of the names of its files in a folder; none if it does not read folders."""

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        """The sentences, one at a time; bad records are listed together in one error at the end.

        With ``options.skip_bad`` they are skipped and reported instead.
        """
        options.check_settings(source.path, self.name, self.reading_settings)
        problems = Problems()
        problems.keep = max(problems.keep, report.keep)
        context = Context(options, report, source.path, problems=problems)
        sentences = complete(self.sentences(source, context), context)
        if not options.rename:
            return sentences
        return renamed(sentences, options.rename, report, source.path)

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        """Write all ``sentences``; what the format cannot store is reported."""
        self.check_writing(options, path)
        context = Context(options, report, str(path), holds=self.holds)
        self.save(sentences, path, context)

    def check_writing(self, options: Options, path: Path | str) -> None:
        """Refuse settings that the format does not have for writing."""
        options.check_settings(str(path), self.name, self.writing_settings, "writing")

    def variant(self, alias: str) -> Format:
        """The format under another name; the same unless the name selects a kind of file."""
        return self

    @abstractmethod
    def sniff(self, source: Source) -> bool:
        """Whether the name or the first bytes of ``source`` look like this format."""

    @abstractmethod
    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        """Read: hand a bad record to ``context.bad`` and continue with the next one."""

    @abstractmethod
    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        """Write: report to ``context`` what the format cannot store."""
