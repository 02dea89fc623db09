"""Write documents as tasks: annotations, or predictions where the entities have scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from innermost.corpus.context import Context
from innermost.corpus.formats.labelstudio.task_keys import KEY, TaskKeys, task_keys
from innermost.corpus.sentence import Sentence
from innermost.corpus.shared.json_records import Record
from innermost.corpus.shared.text_documents import TextRecord, report_tokens, text_records

WAYS = ("auto", "annotations", "predictions")

_AHEAD = 1000
_MODEL = "innermost"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


def tasks(sentences: Iterable[Sentence], context: Context) -> Iterator[Record]:
    records = text_records(sentences, context)
    way = context.options.choice("as", WAYS)
    is_prediction = way == "predictions"
    if way == "auto":
        # A document without entities follows the others.
        first = list(islice(records, _AHEAD))
        is_prediction = any(record.scores for record in first)
        records = chain(first, records)
    for count, record in enumerate(records, start=1):
        report_tokens(record.sentences, context)
        if way == "auto" and record.spans:
            is_prediction = bool(record.scores)
        yield _task(record, count, is_prediction, context)


def _task(record: TextRecord, count: int, is_prediction: bool, context: Context) -> Record:
    found = task_keys(record.extra)
    kept = found or TaskKeys()
    extra = {key: value for key, value in record.extra.items() if key != KEY or found is None}
    data = {kept.text_key: record.text}
    is_number = record.id is not None and _NUMBER.fullmatch(record.id) is not None
    if record.doc is not None:
        data["doc"] = record.doc
    if record.id is not None and not is_number:
        data["id"] = record.id
    for key in extra:
        if key in data:
            context.lost("extra key", f"{key!r} of task {count}: the name is taken")
    data = {**extra, **data}
    # Label Studio numbers its tasks itself; a number of ours would be read again as a name.
    task: Record = {"data": data, **kept.task}
    if record.id is not None and is_number:
        task = {"id": int(record.id), **task}
    if not is_prediction:
        return {**task, "annotations": [{"result": _results(record)}]}
    prediction: Record = {"model_version": _MODEL, "result": _results(record)}
    if record.scores:
        prediction["score"] = sum(record.scores.values()) / len(record.scores)
    return {**task, "predictions": [prediction]}


def _results(record: TextRecord) -> list[Record]:
    return [
        {
            "id": str(number),
            "type": "labels",
            "from_name": "label",
            "to_name": "text",
            "value": {
                "start": span.start,
                "end": span.end,
                "text": record.text[span.start : span.end],
                "labels": [span.label],
            },
        }
        | ({"score": record.scores[span]} if span in record.scores else {})
        for number, span in enumerate(record.spans, start=1)
    ]
