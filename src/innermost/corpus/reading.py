"""Options for reading a corpus, the same for every command and for ``[data]`` in a recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from innermost.corpus import Source, read, registry
from innermost.corpus.format import Options
from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence
from innermost.errors import UsageError
from innermost.text import tokenizer


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """The requested options; ``None`` where there is no request."""

    format: str | None = None
    """The name of a format; detected if not given."""
    tokenizer: str | None = None
    """For raw-text formats."""
    inside_token: str | None = None
    """What to do with a span that begins or ends inside a token: ``split, widen, error``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of a particular format."""
    skip_bad: bool = False
    """Skip the records that cannot be read, and report them."""
    entities: bool = True
    """Whether entities are wanted, or only the texts."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """New names of types; an empty one leaves the type out."""
    is_shared: bool = False
    """Whether ``settings`` are for several files, see :meth:`shared_by`."""

    def with_tokenizer(self, name: str) -> ReadingOptions:
        """The same with the tokenizer of a model, unless another was requested."""
        return self if self.tokenizer else replace(self, tokenizer=name)

    def shared_by(self, paths: Sequence[str | Path]) -> ReadingOptions:
        """The options for several files: a setting applies to those whose format has it.

        A setting that no format has is an error.
        """
        if not self.settings or len(paths) < 2:
            return self
        formats = {
            path: registry.get(self.format) if self.format else registry.guess(Source(path))
            for path in paths
        }
        known = {name for format in formats.values() for name in format.reading_settings}
        if unknown := sorted(set(self.settings) - known):
            files = ", ".join(f"{path} ({format.name})" for path, format in formats.items())
            raise UsageError(
                f"no format of these files has a setting {', '.join(unknown)}: {files}",
                hint=f"their settings: {', '.join(sorted(known)) or 'none'}",
            )
        return replace(self, is_shared=True)

    def check(self) -> None:
        """Refuse invalid options before anything is read."""
        if self.tokenizer:
            tokenizer(self.tokenizer)
        _ = self.options

    @property
    def options(self) -> Options:
        defaults = Options()
        return Options(
            self.tokenizer or defaults.tokenizer,
            self.inside_token or defaults.inside_token,
            self.settings,
            self.skip_bad,
            self.entities,
            self.rename,
            self.is_shared,
        )

    def as_settings(self) -> dict[str, Any]:
        """The requested options, in the form of ``[data]`` in a configuration."""
        values = {
            "format": self.format,
            "tokenizer": self.tokenizer,
            "inside_token": self.inside_token,
            "settings": dict(self.settings),
            "skip_bad": self.skip_bad,
            "rename": dict(self.rename),
        }
        return {name: value for name, value in values.items() if value}


def read_corpus(
    path: str | Path, reading: ReadingOptions | None = None, report: Report | None = None
) -> Iterator[Sentence]:
    """The sentences of a corpus; what was changed, lost or skipped is counted in ``report``."""
    reading = reading or ReadingOptions()
    return read(path, format=reading.format, options=reading.options, report=report)
