"""Where a sentence is, for findings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from innermost.corpus.report import Report
from innermost.corpus.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    line: int | None = None
    part: str = ""
    """The record or document, where path and line do not identify it."""

    def warn(self, findings: Report, what: str, detail: str) -> None:
        """Add a warning about this place."""
        shown = f"{self.part}: {detail}" if self.part else detail
        findings.add("warning", what, shown, path=self.path, line=self.line)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}, {self.part}" if self.part else place


class Places:
    """The places of the sentences of a file or folder."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_folder = Path(path).is_dir()

    def of(self, sentence: Sentence) -> Place:
        return Place(self._path, sentence.line, self._part(sentence))

    def _part(self, sentence: Sentence) -> str:
        if sentence.record is not None:
            return f"record {sentence.record}"
        if sentence.line is not None and not self._is_folder:
            return ""
        names = {"document": sentence.doc, "sentence": sentence.id}
        return ", ".join(f"{what} {name!r}" for what, name in names.items() if name is not None)
