"""The systems that a command measures, and how the data for them is read."""

from __future__ import annotations

from collections.abc import Sequence

from innermost.cli.shared.output import note
from innermost.corpus.reading import ReadingOptions
from innermost.evaluation.systems import tokenizers


def reading_for(systems: Sequence[str], reading: ReadingOptions) -> ReadingOptions:
    """Raw text is read with the tokenizer of the models that are measured on it."""
    names = tokenizers(systems)
    if not names:
        return reading
    first = next(iter(names.values()))
    if reading.tokenizer is None and len(set(names.values())) > 1:
        listed = ", ".join(f"{system} {name}" for system, name in names.items())
        note(
            f"note: the models have different tokenizers ({listed}); raw text is read with "
            f"{first}. --tokenizer chooses another one"
        )
    return reading.with_tokenizer(first)
