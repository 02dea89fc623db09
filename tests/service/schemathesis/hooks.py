"""What schemathesis cannot know of the service: JSON lines, and the entity types of its model."""

from __future__ import annotations

import json
from typing import Any

import schemathesis

TYPES = ["DNA", "RNA", "cell_line", "cell_type", "protein"]
"""Of the model genia."""


@schemathesis.serializer("application/x-ndjson")
def write_line(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"


@schemathesis.deserializer("application/x-ndjson")
def read_line(context: Any, response: Any) -> Any:
    lines = response.content.splitlines()
    if len(lines) != 1:
        raise ValueError(f"{len(lines)} lines for one line")
    return json.loads(lines[0])


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Types that are texts become types of the model; anything else stays as odd as it is."""
    if not isinstance(case.body, dict):
        return
    body = dict(case.body)
    types, scores = body.get("types"), body.get("min_score")
    if isinstance(types, list) and all(isinstance(label, str) for label in types):
        body["types"] = [_known(label) for label in types]
    if isinstance(scores, dict):
        body["min_score"] = {_known(label): score for label, score in scores.items()}
    case.body = body


def _known(label: str) -> str:
    return TYPES[len(label) % len(TYPES)]
