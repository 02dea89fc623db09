"""What a task has besides its data and annotations, for tasks that are written again.

It travels as one further key of the sentences, ``label_studio``::

    {"text_key": "body", "task": {"meta": {"batch": 3}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

KEY = "label_studio"
_OURS = frozenset(["id", "data", "annotations", "predictions", "completions"])
"""Keys of a task that are read and written otherwise."""


@dataclass(frozen=True, slots=True)
class TaskKeys:
    text_key: str = "text"
    task: dict[str, Any] = field(default_factory=dict)


def kept_of_task(task: Mapping[str, Any], text_key: str) -> dict[str, Any]:
    """What to keep of a task, under :data:`KEY`; nothing if there is nothing special."""
    kept: dict[str, Any] = {} if text_key == "text" else {"text_key": text_key}
    if "data" in task and (others := {k: v for k, v in task.items() if k not in _OURS}):
        kept["task"] = others
    return {KEY: kept} if kept else {}


def task_keys(extra: Mapping[str, Any]) -> TaskKeys | None:
    """What :func:`kept_of_task` kept, if it is there."""
    match extra.get(KEY):
        case {**kept} if kept.keys() <= {"text_key", "task"}:
            text_key, task = kept.get("text_key", "text"), kept.get("task", {})
            if isinstance(text_key, str) and isinstance(task, dict):
                return TaskKeys(text_key, task)
    return None
