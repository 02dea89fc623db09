"""Which column holds the labels of the entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from innermost.corpus.context import Context
from innermost.corpus.formats.webanno.cells import values
from innermost.corpus.formats.webanno.lines import Column, File
from innermost.corpus.sentence import is_label

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
_LINGUISTIC = "de.tudarmstadt.ukp.dkpro.core.api."
"""The built-in layers: apart from named entities, parts of speech, lemmas and so on."""
_USUAL = ("value", "label")

Values = Callable[[], dict[Column, Counter[str]]]


def label_column(columns: Sequence[Column], context: Context, used: Values) -> int:
    """The column that the settings name, else the one that is named or used like labels.

    ``used`` returns the values of each column; it is called only if the names do not decide.
    """
    settings = context.options.settings
    layer, feature = settings.get("layer"), settings.get("feature")
    spans = [i for i, column in enumerate(columns) if column.is_span]
    fitting = [i for i in spans if layer is None or layer in columns[i].layer]
    if layer is None and len({columns[i].layer for i in fitting}) > 1:
        entities = [i for i in fitting if "NamedEntity" in columns[i].layer]
        own = [i for i in fitting if not columns[i].layer.startswith(_LINGUISTIC)]
        fitting = entities or own or fitting
    if feature is not None:
        fitting = [i for i in fitting if columns[i].feature == feature]
    elif len(fitting) > 1:
        usual = [i for i in fitting if columns[i].feature in _USUAL]
        fitting = usual if len(usual) == 1 else fitting
    if len(fitting) > 1:
        seen = used()
        labeled = [i for i in fitting if _are_labels(seen[columns[i]])]
        # Where nothing is annotated, any of them will do.
        fitting = labeled or [i for i in fitting if not any(seen[columns[j]] for j in fitting)][:1]
    if len(fitting) == 1:
        return fitting[0]
    seen = used()
    known = "; ".join(f"{columns[i]} ({_shown(seen[columns[i]])})" for i in spans)
    raise context.wrong(
        "cannot determine which layer and feature contain the entity labels",
        hint=f"set layer and feature; the file has: {known or 'no layers of spans'}",
    )


def used_values(files: Iterable[File]) -> dict[Column, Counter[str]]:
    """The values of each column, with their counts."""
    used: dict[Column, Counter[str]] = {}
    for file in files:
        for column in file.columns:
            used.setdefault(column, Counter())
        for block in file.blocks:
            for row in block.rows:
                for column, cell in zip(file.columns, row.cells, strict=True):
                    used[column].update(v.label for v in values(cell) if not v.is_empty)
    return used


def _are_labels(values: Counter[str]) -> bool:
    return bool(values) and all(map(_is_like_a_label, values))


def _is_like_a_label(value: str) -> bool:
    """Values of other features are URLs, numbers, yes or no."""
    is_plain = is_label(value) and "://" not in value and any(c.isalpha() for c in value)
    return is_plain and value not in ("true", "false")


def _shown(values: Counter[str]) -> str:
    first = ", ".join(value[:30] for value, _ in values.most_common(3))
    return f"{first}{', ...' if len(values) > 3 else ''}" or "no values"
