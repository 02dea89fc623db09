"""The systems that a command evaluates, and how their data is read."""

from __future__ import annotations

from collections.abc import Sequence

from innermost.cli.shared.output import note
from innermost.corpus.reading import ReadingOptions
from innermost.evaluation.systems import tokenizers


def reading_for(systems: Sequence[str], reading: ReadingOptions) -> ReadingOptions:
    """Raw text is read with the tokenizer of the evaluated models."""
    names = tokenizers(systems)
    if not names:
        return reading
    first = next(iter(names.values()))
    if reading.tokenizer is None and len(set(names.values())) > 1:
        listed = ", ".join(f"{system} {name}" for system, name in names.items())
        note(
            f"note: the models have different tokenizers ({listed}); raw text is read with "
            f"{first}. Choose another with --tokenizer"
        )
    return reading.with_tokenizer(first)
