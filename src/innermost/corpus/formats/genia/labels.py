"""The types of GENIA's terms: ``sem="G#protein_molecule"``, or a coordination of several."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from innermost.corpus.context import Context
from innermost.corpus.formats.genia.xml import Term

FIVE_TYPES = ("DNA", "RNA", "protein", "cell_line", "cell_type")

_NAME = re.compile(r"G#([^\s()]+)")
_SPECIAL = re.compile(r"[\s()%]")

Labels = Callable[[Term, int], str | None]
"""The label of a term on a line; None for a term that is not read."""


def labels(types: str, context: Context) -> Labels:
    """The function that labels terms: a coordination of terms counts once, as a whole."""

    def one_of_five(term: Term, line: int) -> str | None:
        for name in FIVE_TYPES:
            if f"G#{name}" in term.sem:
                return name
        if term.sem:
            context.lost("term of another type", term.sem, line=line)
        return None

    def as_named(term: Term, line: int) -> str | None:
        names = list(dict.fromkeys(_NAME.findall(term.sem)))
        if len(names) > 1:
            context.changed("coordination of types", term.sem, line=line)
        return unquote(names[0]) if names else None

    return one_of_five if types == "five" else as_named


def escaped_label(label: str) -> str:
    """A label without the characters that would end it in ``sem``."""
    return _SPECIAL.sub(lambda match: "".join(f"%{b:02X}" for b in match[0].encode()), label)
