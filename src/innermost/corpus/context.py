"""The state of a reader or writer: its file and line, its options, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from innermost.corpus.options import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import LABEL_RULE, Sentence, is_label
from innermost.errors import BadRecordError, BadRecordsError, DataError
from innermost.text import Offsets, tokenizer

_KEPT_PROBLEMS = 1000

Record = TypeVar("Record")
Result = TypeVar("Result")


@dataclass(slots=True)
class Problems:
    """Records that could not be read: all are counted, the first few are kept."""

    errors: list[DataError] = field(default_factory=list)
    count: int = 0
    keep: int = _KEPT_PROBLEMS

    def add(self, error: DataError) -> None:
        for problem in error.problems:
            if len(self.errors) < self.keep:
                self.errors.append(problem)
        self.count += error.count

    def error(self) -> DataError:
        """One error for all of them."""
        if self.count == 1:
            return BadRecordError.of(self.errors[0])
        return BadRecordsError(self.errors, self.count)


@dataclass(frozen=True, slots=True)
class Context:
    """All formats report through it, so every message names a file and line."""

    options: Options
    report: Report
    path: str
    line: int | None = None
    record: int | None = None
    """The number of the record, where several may be on one line."""
    problems: Problems = field(default_factory=Problems)
    holds: frozenset[str] = frozenset()
    """What the output format can store."""

    def at(
        self,
        line: int | None = None,
        *,
        record: int | None = None,
        path: str | Path | None = None,
    ) -> Context:
        """A copy for another line or file."""
        place = self.path if path is None else str(path)
        return Context(self.options, self.report, place, line, record, self.problems, self.holds)

    @property
    def name(self) -> str:
        """A name for a document without one: its file and line."""
        name = Path(self.path).name
        if self.record is not None:
            return f"{name}#{self.record}"
        return name if self.line is None else f"{name}:{self.line}"

    def split(self, text: str) -> list[list[Offsets]]:
        """The sentences and tokens of raw text; the report knows that there was some."""
        self.report.tokenizers.add(self.options.tokenizer)
        return tokenizer(self.options.tokenizer).split(text)

    def lost(self, what: str, detail: str, *, line: int | None = None) -> None:
        self.report.lost(what, self._named(detail), path=self.path, line=line or self.line)

    def changed(self, what: str, detail: str, *, line: int | None = None) -> None:
        self.report.changed(what, self._named(detail), path=self.path, line=line or self.line)

    def odd(self, what: str, detail: str, *, line: int | None = None) -> None:
        self.report.odd(what, self._named(detail), path=self.path, line=line or self.line)

    def wrong(self, message: str, *, hint: str | None = None, line: int | None = None) -> DataError:
        """An error for this file and line."""
        message = self._named(message)
        return DataError(message, path=self.path, line=line or self.line, hint=hint)

    def _named(self, detail: str) -> str:
        """With the number of the record, if it has one."""
        return detail if self.record is None else f"record {self.record}: {detail}"

    def bad(self, error: DataError) -> None:
        """Record that a record cannot be read. Reading continues, to list all of them at once."""
        self.problems.add(error)
        if self.options.skip_bad:
            for problem in error.problems:
                self.report.add(
                    "skipped",
                    "bad record",
                    problem.message,
                    path=problem.path or self.path,
                    line=problem.line,
                )

    def each(
        self, records: Iterable[Record], read: Callable[[Record], Iterable[Result]]
    ) -> Iterator[Result]:
        """The items of all records; a record with a problem yields no items."""
        for record in records:
            try:
                results = list(read(record))
            except DataError as error:
                self.bad(error)
            else:
                yield from results

    def raise_problems(self) -> None:
        """Raise all bad records as one error, unless they were to be skipped."""
        if self.problems.count and not self.options.skip_bad:
            raise self.problems.error()


def complete(sentences: Iterable[Sentence], context: Context) -> Iterator[Sentence]:
    """The sentences, then an error if any record was bad and bad records are not skipped.

    The error is also raised if nothing at all could be read.
    """
    is_empty = True
    try:
        for sentence in sentences:
            wrong = [span.label for span in sentence.entities if not is_label(span.label)]
            if wrong:
                message = f"an entity has the label {wrong[0]!r}"
                context.bad(context.wrong(message, line=sentence.line, hint=LABEL_RULE))
            else:
                is_empty = False
                yield sentence
    except DataError as error:  # the rest of the file cannot be read
        if context.options.skip_bad or not context.problems.count:
            raise
        context.problems.add(error)
        raise context.problems.error() from None
    if context.problems.count and (is_empty or not context.options.skip_bad):
        raise context.problems.error()
