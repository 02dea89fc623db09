"""Options for reading and writing, where a format leaves a choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from innermost.corpus.sentence import LABEL_RULE, is_label
from innermost.errors import UsageError


@dataclass(frozen=True, slots=True)
class Options:
    tokenizer: str = "unicode"
    """For raw-text formats: the name of a tokenizer from ``innermost.text``."""
    inside_token: str = "split"
    """A span with an edge inside a token: ``split`` the token, ``widen`` the span, ``error``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of a particular format, e.g. ``{"layer": "..."}``."""
    skip_bad: bool = False
    """Skip the records that cannot be read, and list them in the report.

    Otherwise reading ends with an error that lists them all.
    """
    entities: bool = True
    """Whether entities are wanted; if not, formats that store them apart from the text may leave
    them out, whatever is wrong with them."""
    rename: Mapping[str, str] = field(default_factory=dict)
    """New names of types; an empty one leaves the type out."""
    is_shared: bool = False
    """Whether ``settings`` are for several files, and a format may lack some of them."""

    def __post_init__(self) -> None:
        if self.inside_token not in ("split", "widen", "error"):
            raise UsageError(
                f"inside_token is {self.inside_token!r}", hint="one of: split, widen, error"
            )
        for label in self.rename.values():
            if label and not is_label(label):
                raise UsageError(f"{label!r} is not a valid type name", hint=LABEL_RULE)

    def check_settings(
        self, path: str, format_name: str, known: Iterable[str], use: str = "reading"
    ) -> None:
        """Refuse a setting that the format does not have: a typo must not pass silently.

        ``known`` are its settings for ``use``: reading or writing.
        """
        names = sorted(known)
        unknown = sorted(set(self.settings) - set(names))
        if unknown and not self.is_shared:
            raise UsageError(
                f"{path}: the format {format_name} has no setting {', '.join(unknown)} for {use}",
                hint=f"its settings for {use}: {', '.join(names) or 'none'}",
            )

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """The value of a setting; the first of ``choices`` is the default."""
        value = self.settings.get(key, choices[0])
        if value not in choices:
            raise UsageError(
                f"the setting {key} is {value!r}", hint=f"one of: {', '.join(choices)}"
            )
        return value
