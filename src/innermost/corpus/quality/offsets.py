"""Wrong character offsets: most entities begin or end inside a token."""

from __future__ import annotations

from innermost.corpus.report import Report
from innermost.text.align import SPLIT, WIDENED

FEW = 5
"""So many entities inside tokens are no reason to doubt all offsets."""


def doubtful_offsets(report: Report, entities: int) -> str | None:
    """A warning if reading found most of the entities to begin or end inside a token."""
    inside = report.counts["changed", SPLIT] + report.counts["changed", WIDENED]
    if inside <= FEW or inside * 2 < entities:
        return None
    return (
        f"{inside:,} of {entities:,} entities begin or end inside a token: offsets count "
        "characters from 0, and ends are exclusive; if words have no spaces between them, use "
        "another tokenizer"
    )
