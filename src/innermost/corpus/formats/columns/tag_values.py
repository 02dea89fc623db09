"""What a value in a column of tags means."""

from __future__ import annotations

from innermost.corpus.context import Context
from innermost.corpus.formats.columns.layout import LABELS_ALONE, Layout
from innermost.corpus.shared.tag_schemes import UNNAMED, Tag, is_prefix, split_tag, with_label

_OUTSIDE = frozenset(["O", "0", "-", "_"])
"""What corpora of labels alone have outside entities."""
_WITHOUT_TYPES = "tags without types"


def is_tag(value: str) -> bool:
    """Whether a value is a tag in some scheme with prefixes."""
    return split_tag(value) is not None or is_prefix(value)


def tag_of(value: str, before: Tag, layout: Layout, context: Context) -> Tag:
    if value == layout.outside:
        return "O", ""
    if context.options.settings.get("scheme") == LABELS_ALONE:
        return ("O", "") if value in _OUTSIDE else ("I", value)
    tag = split_tag(value)
    if tag is None and is_prefix(value) and not layout.is_open:
        tag = with_label(value, before)
        if tag[1] == UNNAMED and context.report.counts["note", _WITHOUT_TYPES] == 0:
            detail = f"read as {UNNAMED}; to name them: --rename {UNNAMED}=NAME"
            context.report.add("note", _WITHOUT_TYPES, detail, path=context.path)
    if tag is None:
        raise context.wrong(
            f"{value!r} is not a tag",
            hint="a tag is O or a letter of BIESLU, a hyphen and a label, as in B-PER; if the "
            f"column has labels alone, as in Few-NERD: --read-set scheme={LABELS_ALONE}",
        )
    return tag
