"""One input of a prediction, and how inputs are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from innermost.corpus import Sentence
from innermost.corpus.reading import ReadingOptions


@dataclass(frozen=True, slots=True)
class Record:
    """One input, which becomes one record of the output."""

    item: str | Sentence | list[Sentence]
    keys: dict[str, Any] = field(default_factory=dict)
    """The keys of its source, in order; the output repeats them."""
    text_key: str = "text"
    id_key: str = "id"

    @property
    def tokens(self) -> list[str] | None:
        """The tokens, if the input has them."""
        return self.item.tokens if isinstance(self.item, Sentence) else None

    @property
    def id(self) -> str | None:
        return name_of(self.keys.get(self.id_key))

    @property
    def doc(self) -> str | None:
        return name_of(self.keys.get("doc"))

    @property
    def extra(self) -> dict[str, Any]:
        """The keys that are not fields of a corpus sentence."""
        ours = {self.text_key, self.id_key, "doc", "tokens", "gaps", "entities"}
        return {key: value for key, value in self.keys.items() if key not in ours}


@dataclass(frozen=True, slots=True)
class InputOptions:
    """How the input of a prediction is read."""

    reading: ReadingOptions
    tokenizer: str
    """The tokenizer that the model uses."""
    whole: bool | None = None
    """Whether a file of plain text is one text, or one per line; None: detected."""
    text: str = "text"
    """The key or column of the texts."""
    id: str = "id"

    @classmethod
    def of_columns(
        cls,
        reading: ReadingOptions,
        tokenizer: str,
        columns: Mapping[str, str],
        *,
        whole: bool | None = None,
    ) -> InputOptions:
        """With the names of ``columns``, unless the settings of ``reading`` have others."""
        names = {**columns, **reading.settings}
        return cls(reading, tokenizer, whole, names["text"], names["id"])


def name_of(value: Any) -> str | None:
    return None if value is None else str(value)
