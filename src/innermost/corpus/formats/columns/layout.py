"""Which columns hold the token and the tags: from the settings, a header, or their content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from innermost.corpus.context import Context
from innermost.corpus.options import Options
from innermost.corpus.shared.tag_schemes import SCHEMES, spans_of, split_tag
from innermost.errors import UsageError
from innermost.nest import Span

Row = list[str]
"""The columns of one token."""

# A column with a smaller share of tags is not a column of tags; in one that is, the rest are slips.
_MOSTLY = 0.75
_FEWEST_SETS = 3
"""Lines with more tags than usual that make a file one of tag sets; fewer are slips."""
LABELS_ALONE = "io"
"""The scheme of tags that are labels: tokens in a row with the same label are one entity."""
_CHUNKS = frozenset(
    ["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP"]
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of the token and of the layers of tags, counted from 0 (or from the end)."""

    token: int
    tags: tuple[int, ...]
    width: int | None = None
    """The usual number of columns, if the layout follows from them."""
    is_open: bool = False
    """Whether the last column of tags and all after it hold the tags of a token, in any order."""
    outside: str | None = None
    """A value that means the same as the tag O."""
    flags: int | None = None
    """The column with flags that end sentences."""


def layout_of_settings(options: Options) -> Layout | None:
    settings = options.settings
    schemes = (*SCHEMES, LABELS_ALONE)
    if (scheme := settings.get("scheme")) is not None and scheme not in schemes:
        raise UsageError(f"unknown tag scheme {scheme!r}", hint=f"one of: {', '.join(schemes)}")
    if "token" not in settings and "tags" not in settings:
        return None
    columns = settings.get("tags", "")
    try:
        token = int(settings.get("token", "1")) - 1
        tags = tuple(int(part) - 1 for part in columns.removesuffix("+").split(",") if part)
    except ValueError:
        token, tags = -1, ()
    if token < 0 or any(tag < 0 for tag in tags) or ("tags" in settings and not tags):
        raise UsageError(
            "the settings token and tags are column numbers, counted from 1",
            hint="e.g. --read-set token=2 --read-set tags=3,4, or tags=3+ for all columns from the "
            "third",
        )
    return Layout(token, tags or (-1,), is_open=columns.endswith("+"))


def layout_of_header(names: Sequence[str], context: Context) -> Layout:
    tags = tuple(i for i, name in enumerate(names) if name == "NER")
    if "FORM" not in names or not tags:
        raise context.wrong(
            "the column names do not include FORM and NER",
            hint="choose the columns to read: --read-set token=2 --read-set tags=3,4",
        )
    return Layout(names.index("FORM"), tags)


def layout_of_rows(sentences: Sequence[Sequence[Row]], context: Context) -> Layout:
    """The layout inferred from the first sentences of a file.

    The token comes first, or second where the first column numbers the tokens, as in GermEval. All
    columns of tags after it are layers, except for syntactic chunks. Columns that are not read are
    reported.
    """
    rows = [row for sentence in sentences for row in sentence]
    width, _ = Counter(map(len, rows)).most_common(1)[0]
    whole = [row for row in rows if len(row) == width]
    token = 1 if width > 2 and all(map(_is_counted, sentences)) else 0
    tagged = [i for i in range(token + 1, width) if _looks_like_tags([row[i] for row in whole])]
    chunks = [i for i in tagged if _holds_chunks([row[i] for row in whole])]
    layers = [i for i in tagged if i not in chunks] or tagged[-1:]
    if not layers:
        return Layout(token, (-1,))
    if layers[0] in chunks:
        context.odd(
            "syntactic chunks as entities",
            f"{_named(layers, whole)} is the only column of tags after the token; to choose "
            "others, e.g. --read-set token=2 --read-set tags=3,4",
        )
    _refuse_copies(sentences, width, layers, context)
    unread = [i for i in tagged if i not in layers]
    between = [i for i in range(token + 1, width) if i not in tagged]
    if unread or (between and len(layers) > 1):
        read = f"read as {'entities' if len(layers) == 1 else 'layers of entities'}"
        context.odd(
            "several columns of tags",
            f"{read}: {_named(layers, whole)}; not read: {_named([*between, *unread], whole)}; "
            f"to choose: --read-set tags={_numbers([*unread, *layers])}",
        )
    elif between:
        context.report.add("note", "columns not read", _named(between, whole), path=context.path)
    return Layout(token, tuple(layers), width, is_open=_are_sets(rows, width, layers))


def _are_sets(rows: Sequence[Row], width: int, layers: Sequence[int]) -> bool:
    """Whether some lines have further tags; an O among them would show that they are layers."""
    further = [row[width - 1 :] for row in rows if len(row) > width]
    return (
        list(layers) == [width - 1]
        and len(further) >= _FEWEST_SETS
        and all(split_tag(tag) not in (None, ("O", "")) for tags in further for tag in tags)
    )


def _is_counted(sentence: Sequence[Row]) -> bool:
    return all(row[0] == str(number) for number, row in enumerate(sentence, start=1))


def _looks_like_tags(values: Sequence[str]) -> bool:
    return sum(split_tag(value) is not None for value in values) > _MOSTLY * len(values)


def _holds_chunks(values: Sequence[str]) -> bool:
    labels = {split[1] for value in values if (split := split_tag(value))} - {""}
    return bool(labels) and labels <= _CHUNKS


def _refuse_copies(
    sentences: Sequence[Sequence[Row]], width: int, layers: Sequence[int], context: Context
) -> None:
    """Refuse columns with the same entities: most likely gold and predicted tags, not layers."""
    spans = {i: _spans(sentences, width, i) for i in layers}
    for a, b in combinations(layers, 2):
        same, fewer = len(spans[a] & spans[b]), min(len(spans[a]), len(spans[b]))
        if same > 2 and same > fewer / 2:
            raise context.wrong(
                f"columns {a + 1} and {b + 1} hold mostly the same entities: gold and predicted?",
                hint=f"choose one with --read-set tags={b + 1}, or read both as layers "
                f"with --read-set tags={_numbers(layers)}",
            )


def _spans(sentences: Sequence[Sequence[Row]], width: int, column: int) -> set[tuple[int, Span]]:
    found: set[tuple[int, Span]] = set()
    for number, sentence in enumerate(sentences):
        tags = [split_tag(row[column]) if len(row) == width else None for row in sentence]
        found |= {(number, span) for span in spans_of(tag or ("O", "") for tag in tags)[0]}
    return found


def _named(columns: Sequence[int], rows: Sequence[Row]) -> str:
    """Column numbers, each with some of the column's labels, or of its values if it has no tags."""
    shown = []
    for column in sorted(columns):
        values = [row[column] for row in rows]
        if _looks_like_tags(values):
            values = [split[1] for value in values if (split := split_tag(value))]
        distinct = set(values) - {""}
        first = ", ".join(sorted(distinct)[:3]) or "all O"
        shown.append(f"column {column + 1} ({first}{', ...' if len(distinct) > 3 else ''})")
    return " and ".join(shown)


def _numbers(columns: Sequence[int]) -> str:
    return ",".join(str(column + 1) for column in sorted(columns))
