"""Entities as objects with the keys of other tools and corpora, such as ``span`` and ``type``.

    {"name": "Bob", "span": [12, 15], "type": "PER"}
    {"start_idx": 12, "end_idx": 14, "type": "PER", "entity": "Bob"}

Where every entity of a record says its text, the texts show whether ends are inclusive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from innermost.corpus.context import Context

Entity = dict[str, Any]

_PAIRS = ("span", "offset", "offsets", "position")
"""Keys of ``[start, end]``."""
_STARTS_AND_ENDS = (
    ("start", "end"),
    ("start_offset", "end_offset"),
    ("start_idx", "end_idx"),
    ("start_char", "end_char"),
    ("begin", "end"),
)
_LABELS = ("label", "type", "entity_type", "entity_group")
_TEXTS = ("text", "name", "entity", "mention", "word")


def with_our_keys(item: Any) -> Any:
    """The entity with ``start``, ``end``, ``label`` and ``text``, if it has others for them.

    Anything else is returned unchanged.
    """
    if not isinstance(item, dict) or {"start", "end", "label"} <= item.keys():
        return item
    rest = dict(item)
    edges = _take_edges(rest)
    label = next((rest.pop(key) for key in _LABELS if isinstance(rest.get(key), str)), None)
    if edges is None or label is None:
        return item
    text_key = next((key for key in _TEXTS if isinstance(rest.get(key), str)), None)
    text = {} if text_key is None else {"text": rest.pop(text_key)}
    return {"start": edges[0], "end": edges[1], "label": label, **text, **rest}


def has_known_keys(item: Any) -> bool:
    """Whether it is an entity with our keys or with others that are known."""
    unified = with_our_keys(item)
    return isinstance(unified, dict) and unified.keys() >= {"start", "end", "label"}


def with_exclusive_ends(
    items: list[Any], text_at: Callable[[int, int], str], context: Context
) -> list[Any]:
    """The entities, with ends moved where their texts show that all ends are inclusive."""
    if not items or not all(_is_inclusive(item, text_at) for item in items):
        return items
    context.changed(
        "inclusive ends",
        f"the texts of the entities show that ends are inclusive; {len(items)} moved by one",
    )
    return [{**item, "end": item["end"] + 1} for item in items]


def _is_inclusive(item: Any, text_at: Callable[[int, int], str]) -> bool:
    match item:
        case {"start": int(start), "end": int(end), "text": str(text)}:
            as_exclusive, as_inclusive, quoted = (
                "".join(there.split())
                for there in (text_at(start, end), text_at(start, end + 1), text)
            )
            return as_inclusive == quoted != as_exclusive
    return False


def _take_edges(item: Entity) -> tuple[Any, Any] | None:
    for key in _PAIRS:
        match item.get(key):
            case [int(), int()]:
                start, end = item.pop(key)
                return start, end
    for start_key, end_key in _STARTS_AND_ENDS:
        if isinstance(item.get(start_key), int) and isinstance(item.get(end_key), int):
            return item.pop(start_key), item.pop(end_key)
    return None
