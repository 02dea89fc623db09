"""What a corpus format is: one object that reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.files.source import Source


@dataclass(frozen=True, slots=True)
class Options:
    """How to read or write, where a format leaves a choice."""

    tokenizer: str = "unicode"
    """For formats of raw text: the name of a tokenizer of ``innermost.text``."""
    inside_token: str = "split"
    """A span with an edge inside a token: ``split`` the token, ``widen`` the span, ``error``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What only one format knows, e.g. ``{"layer": "..."}``."""

    def __post_init__(self) -> None:
        if self.inside_token not in ("split", "widen", "error"):
            raise UsageError(
                f"inside_token is {self.inside_token!r}", hint="one of: split, widen, error"
            )

    def check_settings(self, format_name: str, known: Iterable[str]) -> None:
        """Refuse a setting that the format does not have: a typing error must not pass silently."""
        names = sorted(known)
        if unknown := sorted(set(self.settings) - set(names)):
            raise UsageError(
                f"the format {format_name} has no setting {', '.join(unknown)}",
                hint=f"its settings: {', '.join(names) or 'none'}",
            )


class Format(Protocol):
    """Reads and writes one kind of corpus file. Instances hold no state."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str:
        """One line."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names, with the dot, by which an output's format is chosen."""

    def sniff(self, source: Source) -> bool:
        """Whether the name or the first bytes of ``source`` look like this format."""

    def read(self, source: Source, options: Options, report: Report) -> Iterator[Sentence]:
        """The sentences, one at a time."""

    def write(
        self, sentences: Iterable[Sentence], path: Path | str, options: Options, report: Report
    ) -> None:
        """Write all ``sentences``; what the format cannot hold goes into the report."""
