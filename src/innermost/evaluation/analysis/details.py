"""The strengths and weaknesses of one system: breakdowns, looser matches and errors."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from innermost.corpus import Sentence
from innermost.evaluation.analysis.breakdown import Breakdown, SeenForms
from innermost.evaluation.analysis.error_analysis import Error, ErrorAnalysis
from innermost.evaluation.analysis.partial_matches import LooseMatches
from innermost.nest import Span


class Details:
    def __init__(self, seen: SeenForms | None = None, *, paper_counts: bool = False) -> None:
        self.breakdown = Breakdown(seen, paper_counts=paper_counts)
        self.loose = LooseMatches()
        self.errors = ErrorAnalysis()

    def add(self, sentence: Sentence, spans: Collection[Span]) -> list[Error]:
        """Count one sentence with the spans predicted there, and return its errors."""
        self.breakdown.add(sentence, spans)
        self.loose.add(sentence.entities, spans)
        return self.errors.add(sentence, spans)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; scores are fractions."""
        return {
            "breakdowns": {
                name: {key: counts.to_dict() for key, counts in table.items()}
                for name, table in self.breakdown.tables.items()
            },
            "loose": {name: counts.to_dict() for name, counts in self.loose.tables.items()},
            "errors": self.errors.to_dict(),
        }
