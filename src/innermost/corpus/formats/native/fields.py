"""The fields that both forms of the native format share, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from innermost.corpus.context import Context
from innermost.corpus.shared.entity_checks import Wrong, score_of
from innermost.nest import Span

_FOREIGN = frozenset(
    ["annotations", "label", "labels", "mentions", "ner", "ner_tags", "spans", "tags"]
)
"""Keys that other formats use for entities."""
_ENTITIES = ("entities", "entity_mentions")
"""Keys of entities: ours, and that of OneIE."""
_DERIVED = frozenset(["level", "parent", "text", "token_start", "token_end"])
"""Further keys of predicted entities, all derived from the spans."""


class Entity(NamedTuple):
    span: Span
    score: float | None = None


def name_of(record: Mapping[str, Any], key: str) -> str | None:
    """The value of ``id`` or ``doc``."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    raise Wrong(f'expected "{key}": a string, found {kind(value)}')


def entities_of(record: Mapping[str, Any], context: Context) -> list[Any]:
    """The entities; a record without them is reported, with them under another key wrong."""
    key = entities_key(record)
    entities = None if key is None else record[key]
    if isinstance(entities, list):
        return entities
    if entities is not None:
        raise Wrong(f'expected "{key}": a list, found {kind(entities)}')
    if key is not None:
        context.odd("record without entities", f'its "{key}" is null; read as having none')
        return []
    if meant := misspelled("entities", record):
        raise Wrong(f'the record has no "entities" but has "{meant}": did you mean "entities"?')
    foreign = [key for key in record if _is_foreign(key) and isinstance(record[key], list)]
    if foreign:
        raise Wrong(
            f'the record has no "entities" but has "{foreign[0]}", a key of another format',
            'name the format, e.g. --from doccano, or rename the key to "entities"',
        )
    context.odd("record without entities", 'it has no key "entities"; read as having none')
    return []


def _is_foreign(key: str) -> bool:
    return key in _FOREIGN or "entit" in key.lower()


def entities_key(record: Mapping[str, Any]) -> str | None:
    """The key of the entities, if the record has one."""
    return next((key for key in _ENTITIES if key in record), None)


def misspelled(key: str, record: Collection[str]) -> str | None:
    """The key of a record that is most likely meant to be ``key``."""
    lower = {name.lower(): name for name in record}
    matches = get_close_matches(key, lower, n=1, cutoff=0.8)
    return lower[matches[0]] if matches else None


def entity(item: Any, index: int, context: Context) -> Entity:
    """The entity that a list or an object describes, whether it counts characters or tokens."""
    # JSON has few types: checking them directly is three times as fast as pattern matching.
    types = [*map(type, item)] if isinstance(item, list) else []
    if set(types[:2]) <= {int, bool} and types[2:3] == [str] and len(types) < 5:
        score = score_of(item[3], index) if len(types) == 4 else None
        return Entity(Span._make(item[:3]), score)
    match item:
        case {"start": int(start), "end": int(end), "label": str(label)}:
            span = Span(start, end, label)
        case _:
            _check_types(item, index)
            raise Wrong(
                f"entity {index} is neither [start, end, label] nor an object with start, end and "
                f"label: {item!r}"[:300],
                'e.g. [0, 2, "DNA"], {"start": 0, "end": 9, "label": "DNA"} or '
                '{"span": [0, 9], "type": "DNA"}',
            )
    known = {"start", "end", "label", "score"} | _DERIVED
    if others := sorted(set(item) - known):
        context.lost("keys of an entity", ", ".join(others))
    return Entity(span, score_of(item.get("score"), index))


def _check_types(item: Any, index: int) -> None:
    """Refuse an entity that has a start, an end and a label, but one of another type."""
    match item:
        case {"start": start, "end": end, "label": label} | [start, end, label, *_]:
            for name, value in (("start", start), ("end", end)):
                if not isinstance(value, int):
                    raise Wrong(f"entity {index} has the {name} {value!r}, not a whole number")
            if not isinstance(label, str):
                raise Wrong(f"entity {index} has the label {label!r}, not a string")


def scores_of(entities: Iterable[Entity]) -> dict[Span, float]:
    """The scores of the entities that have one; for a repeated entity, the highest."""
    scores: dict[Span, float] = {}
    for span, score in entities:
        if score is not None:
            scores[span] = max(score, scores.get(span, 0.0))
    return scores


def kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a string", type(None): "null"}.get(
        type(value), f"{value!r}"
    )
