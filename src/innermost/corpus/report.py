"""What happened to the data on its way in or out: nothing is lost or changed silently."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from innermost.errors import place

Kind: TypeAlias = Literal["lost", "changed", "odd", "skipped", "error", "warning", "note"]
"""What happened, or how serious a finding is:

- ``lost``: not carried over
- ``changed``: carried over in another form
- ``odd``: kept, but possibly a mistake
- ``skipped``: a bad record, left out on request
- ``error``: prevents the work
- ``warning``: makes results worse or misleading
- ``note``: for information
"""

ALL = sys.maxsize
OTHER_ANNOTATION = frozenset(
    ("relation", "event", "attribute", "normalization", "equivalence", "note", "comment")
)
"""Names of cases that are no entities, and therefore lost wherever entities are read."""


@dataclass(frozen=True, slots=True)
class Event:
    kind: Kind
    what: str
    """A short name of the case, the same for all its occurrences: ``discontinuous span``."""
    detail: str
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = place(self.path, self.line)
        return f"{where} {self.kind}: {self.what}: {self.detail}".strip()


@dataclass(slots=True)
class Report:
    """Collects events; keeps every count, and the first ``keep`` examples of each case."""

    keep: int = 20
    """``ALL`` for no limit."""
    counts: Counter[tuple[Kind, str]] = field(default_factory=Counter)
    examples: list[Event] = field(default_factory=list)
    tokenizers: set[str] = field(default_factory=set)
    """The tokenizers that raw text was split with; none if all of the data had tokens."""
    unwritten_sentences: int = 0
    """Lost in writing."""
    unwritten_entities: int = 0
    """Lost in writing, including those of lost sentences."""

    def add(
        self,
        kind: Kind,
        what: str,
        detail: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.counts[kind, what] += 1
        if self.counts[kind, what] <= self.keep:
            self.examples.append(
                Event(kind, what, detail, None if path is None else str(path), line)
            )

    def lost(
        self, what: str, detail: str, *, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.add("lost", what, detail, path=path, line=line)

    def changed(
        self, what: str, detail: str, *, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.add("changed", what, detail, path=path, line=line)

    def odd(
        self, what: str, detail: str, *, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.add("odd", what, detail, path=path, line=line)

    def only(self, *kinds: Kind) -> Report:
        """The report with only events of these kinds."""
        counts = Counter({case: n for case, n in self.counts.items() if case[0] in kinds})
        examples = [e for e in self.examples if e.kind in kinds]
        return Report(self.keep, counts, examples, self.tokenizers)

    def total(self, kind: Kind) -> int:
        return sum(n for (k, _), n in self.counts.items() if k == kind)
