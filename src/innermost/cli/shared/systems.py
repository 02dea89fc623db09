"""The systems that a command evaluates, and how their data is read."""

from __future__ import annotations

from collections.abc import Sequence

from innermost.cli.shared.output import note
from innermost.corpus import Report
from innermost.corpus.reading import ReadingOptions
from innermost.evaluation.systems import tokenizers


def reading_for(systems: Sequence[str], reading: ReadingOptions) -> ReadingOptions:
    """Raw text is read with the tokenizer of the evaluated models, of several with the first."""
    names = tokenizers(systems)
    return reading.with_tokenizer(next(iter(names.values()))) if names else reading


def note_tokenizer(systems: Sequence[str], reading: ReadingOptions, report: Report) -> None:
    """Say which tokenizer was used, if raw text was read and the models have different ones."""
    names = tokenizers(systems)
    used = reading_for(systems, reading).tokenizer
    if reading.tokenizer is None and len(set(names.values())) > 1 and used in report.tokenizers:
        listed = ", ".join(f"{system} {name}" for system, name in names.items())
        note(
            f"note: the models have different tokenizers ({listed}); raw text was read with "
            f"{used}. Choose another with --tokenizer"
        )
