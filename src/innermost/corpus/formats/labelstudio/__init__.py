"""Label Studio's JSON export: tasks with annotations (or predictions) of character spans::

    [{"id": 7, "data": {"text": "IL-2 gene", "doc": "d1"},
      "annotations": [{"result": [{"type": "labels", "from_name": "label", "to_name": "text",
                                   "value": {"start": 0, "end": 9, "text": "IL-2 gene",
                                             "labels": ["DNA"]}}]}]}]

and JSON-MIN::

    [{"id": 7, "text": "IL-2 gene", "label": [{"start": 0, "end": 9, "text": "IL-2 gene",
                                              "labels": ["DNA"]}], "annotator": 1}]

Each task is a document. Depending on its version, Label Studio counts UTF-16 units, as JavaScript
does, or characters; the text in each value shows which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from innermost.corpus.context import Context
from innermost.corpus.format import Format
from innermost.corpus.formats.labelstudio.regions import Region, region, spans_of
from innermost.corpus.formats.labelstudio.task_keys import kept_of_task
from innermost.corpus.formats.labelstudio.write import WAYS, tasks
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import (
    Record,
    first_record,
    name_of,
    sentences_of_records,
    write_records,
)
from innermost.corpus.shared.text_documents import read_named_text
from innermost.files.source import Source

_SOURCES = ("annotations", "predictions")
_OLD = "completions"
"""What annotations were called before version 1."""
_REGION = frozenset({"start", "end", "labels"})
_MIN_ONLY = frozenset(["annotation_id", "annotator", "lead_time", "created_at", "updated_at"])


class _LabelStudio(Format):
    name = "labelstudio"
    description = "Label Studio JSON and JSON-MIN: annotations or predictions"
    suffixes = (".labelstudio.json",)
    holds = frozenset({"crossings", "duplicates", "gaps", "doc", "id", "extra", "scores"})
    reading_settings = ("sentences", "text", "take")
    writing_settings = ("sentences", "as")

    def sniff(self, source: Source) -> bool:
        record = first_record(source)
        data = record.get("data")
        if isinstance(data, dict):
            # Tasks to import have no annotations yet.
            return isinstance(data.get("text"), str) or any(k in record for k in (*_SOURCES, _OLD))
        return _is_min(record)

    def sentences(self, source: Source, context: Context) -> Iterator[Sentence]:
        context.options.choice("take", ("", *_SOURCES))
        return sentences_of_records(source, context, _sentences)

    def save(self, sentences: Iterable[Sentence], path: Path | str, context: Context) -> None:
        context.options.choice("as", WAYS)
        write_records(tasks(sentences, context), path, array_on_stream=True)


def _sentences(task: Record, context: Context) -> list[Sentence]:
    key = context.options.settings.get("text", "text")
    wants_entities = context.options.entities
    data: Any
    regions: list[Region] | None
    if "data" not in task and _is_min(task, key):
        data = _min_data(task)
        regions = _min_regions(task, context) if wants_entities else []
    else:
        data = task.get("data")
        regions = _task_regions(task, context) if wants_entities else []
    if not isinstance(data, dict) or not isinstance(data.get(key), str):
        raise context.wrong(
            f'expected "data": an object with "{key}", the text',
            hint="if another key contains the text: --read-set text=KEY",
        )
    if regions is None:
        return []
    text: str = data[key]
    spans, scores = spans_of(regions, text, context)
    id = name_of(data, "id", context) or name_of(task, "id", context)
    doc = name_of(data, "doc", context)
    extra = {name: value for name, value in data.items() if name not in (key, "doc", "id")}
    if not wants_entities:
        # For predictions, the task comes back as it was.
        extra |= kept_of_task(task, key)
    return read_named_text(text, spans, context, id=id, doc=doc, extra=extra, scores=scores)


def _task_regions(task: Record, context: Context) -> list[Region] | None:
    """The regions of the first annotation that was not canceled; None if all were, or if it is an
    open task: one without entities has an annotation, too, with an empty result."""
    take = _source(task, context)
    items = task.get(take) or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise context.wrong(f'expected "{take}": a list of objects')
    usable = [item for item in items if not item.get("was_cancelled")]
    if items and not usable:
        context.lost("canceled task", f"id {task.get('id')}: all its annotations were canceled")
        return None
    if not items and take != "predictions" and take in task:
        context.lost("open task", f"id {task.get('id')}: nobody has annotated it yet")
        return None
    if not items:
        context.odd("task without annotations", f"id {task.get('id')}: read as having no entities")
    for item in usable[1:]:
        context.lost("further annotation of a task", f"id {item.get('id')}: only the first is read")
    results = usable[0].get("result", []) if usable else []
    if not isinstance(results, list):
        raise context.wrong('expected "result": a list')
    regions: list[Region] = []
    for result in results:
        if isinstance(result, dict) and result.get("type", "labels") != "labels":
            context.lost("annotation that is not a labeled span", str(result["type"]))
        elif isinstance(result, dict):
            regions.append(region(result.get("value"), result.get("score"), context))
        else:
            raise context.wrong(f"a region must be an object, found {result!r}"[:200])
    return regions


def _source(task: Record, context: Context) -> str:
    """The key to read: annotations, unless the task has only predictions."""
    take = context.options.settings.get("take")
    if take is not None:
        return take
    if "annotations" not in task and _OLD in task:
        return _OLD
    return "predictions" if "annotations" not in task and "predictions" in task else "annotations"


def _is_min(record: Mapping[str, Any], key: str = "text") -> bool:
    has_regions = bool(_lists_of_regions(record))
    return isinstance(record.get(key), str) and (has_regions or "annotation_id" in record)


def _lists_of_regions(record: Mapping[str, Any]) -> list[str]:
    """The keys with lists of regions, named like the tags of the labeling configuration."""
    lists = {key: value for key, value in record.items() if isinstance(value, list) and value}
    return [
        key
        for key, items in lists.items()
        if all(isinstance(item, dict) and set(item) >= _REGION for item in items)
    ]


def _min_data(task: Record) -> Record:
    """The data of a task in JSON-MIN, where data and regions are in one object."""
    dropped = {*_lists_of_regions(task), *_MIN_ONLY}
    return {key: value for key, value in task.items() if key not in dropped}


def _min_regions(task: Record, context: Context) -> list[Region]:
    keys = _lists_of_regions(task)
    return [region(value, None, context) for key in keys for value in task[key]]


FORMAT = _LabelStudio()
