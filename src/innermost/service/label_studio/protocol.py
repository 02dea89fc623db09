"""Label Studio's ML backend protocol: entities as pre-annotations.

If nothing can be shown with the labeling configuration, that is an error; a partial mismatch is
reported in the log, in the response to ``/setup`` and, where entities are missing, in the model
version that Label Studio shows next to each prediction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from innermost.service import logs
from innermost.service.errors import StartingError, TooLargeError
from innermost.service.label_studio.config import (
    Control,
    LabelingConfigError,
    label_names,
    read_control,
    task_labels,
)
from innermost.service.schemas import Entity, ExtractedDocument, Options, ServedModel
from innermost.service.service import Service, job
from innermost.service.web.bodies import check_headers, decode, disconnect, read_body


class Setup(msgspec.Struct):
    schema: str


class Task(msgspec.Struct):
    data: dict[str, Any] = {}


class Predict(msgspec.Struct):
    tasks: list[Task]
    label_config: str


_SETUP = msgspec.json.Decoder(Setup)
_PREDICT = msgspec.json.Decoder(Predict)
_DOCUMENT = msgspec.json.Decoder(ExtractedDocument)


class LabelStudio:
    """The endpoints of the protocol, for the default model."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def health(self, request: Request) -> Response:
        if not self._service.ready:
            raise StartingError("no worker is ready")
        return _json({"status": "UP", "model_class": "innermost"})

    async def setup(self, request: Request) -> Response:
        with self._service.admission():
            schema = decode(await self._body(request), _SETUP).schema
        model = self._service.model(None)
        try:
            fit, notes = _check(read_control(schema), model)
        except LabelingConfigError as error:
            logs.warning("labeling configuration", note=error.message)
            raise
        for note in notes:
            logs.warning("labeling configuration", note=note)
        return _json({"model_version": _version(model, fit), "notes": notes})

    async def predict(self, request: Request) -> Response:
        with self._service.admission():
            prediction_request = decode(await self._body(request), _PREDICT)
            if len(prediction_request.tasks) > (limit := self._service.settings.max_texts):
                raise TooLargeError(f"more than {limit:,} tasks in one request", max_texts=limit)
            control = read_control(prediction_request.label_config)
            model = self._service.model(None)
            texts = [_text(control, task) for task in prediction_request.tasks]
            jobs = [job(text or "", model, Options()) for text in texts]
            documents = await self._service.documents(jobs, partial(disconnect, request))
        results = [
            _prediction(control, model, task, None if text is None else _DOCUMENT.decode(document))
            for task, text, document in zip(prediction_request.tasks, texts, documents, strict=True)
        ]
        return _json({"results": results})

    async def versions(self, request: Request) -> Response:
        with self._service.admission():
            return _json({"versions": [_version(self._service.model(None), None)]})

    async def webhook(self, request: Request) -> Response:
        """Acknowledge annotations, as the protocol requires; they are not used for training."""
        await self._body(request)
        return _json({"status": "ignored"})

    async def _body(self, request: Request) -> bytes:
        settings = self._service.settings
        check_headers(request)
        return await read_body(request, limit=settings.max_body, timeout=settings.timeout)


class Fit:
    """The labels of a task and the types of a model, matched."""

    def __init__(self, control: Control, model: ServedModel, data: Mapping[str, Any]) -> None:
        labels = task_labels(control, data)
        self.names, self.missing, unused = label_names(labels, model.types)
        self.notes: list[str] = []
        if self.missing:
            there = ", ".join(label.name for label in labels) or "none"
            self.notes.append(f"no label for {', '.join(self.missing)} (labels: {there})")
        if unused:
            self.notes.append(f"the model {model.name} never predicts {', '.join(unused)}")


def _check(control: Control, model: ServedModel) -> tuple[Fit | None, list[str]]:
    """The fit, if the labels are in the configuration, and notes; an error if nothing fits."""
    fit = Fit(control, model, {}) if control.labels_key is None else None
    notes = [*control.notes, *(fit.notes if fit else ())]
    if fit and not fit.names:
        raise LabelingConfigError(f"nothing could be shown: {'; '.join(notes)}")
    return fit, notes


def _text(control: Control, task: Task) -> str | None:
    text = task.data.get(control.text_key)
    return text if isinstance(text, str) else None


def _prediction(
    control: Control, model: ServedModel, task: Task, document: ExtractedDocument | None
) -> dict[str, Any]:
    if document is None:
        note = f"the task has no text under {control.text_key!r}"
        logs.warning("labeling task", note=note)
        return {"result": [], "model_version": f"{_version(model, None)} ({note})"}
    fit = Fit(control, model, task.data)
    entities = _shown(control, fit, document.entities)
    scores = [entity.score for entity in entities]
    return {
        "result": [
            _region(control, number, entity, fit.names[entity.label])
            for number, entity in enumerate(entities, start=1)
        ],
        "score": round(sum(scores) / len(scores), 4) if scores else None,
        "model_version": _version(model, fit),
    }


def _shown(control: Control, fit: Fit, entities: list[Entity]) -> list[Entity]:
    """Entities that have a label, at most as many per label as the configuration allows."""
    labeled = [entity for entity in entities if entity.label in fit.names]
    if control.max_usages is None:
        return labeled
    used: dict[str, int] = defaultdict(int)
    shown: set[int] = set()
    for index in sorted(range(len(labeled)), key=lambda i: -labeled[i].score):
        name = fit.names[labeled[index].label]
        if used[name] < control.max_usages:
            used[name] += 1
            shown.add(index)
    return [entity for index, entity in enumerate(labeled) if index in shown]


def _region(control: Control, number: int, entity: Entity, label: str) -> dict[str, Any]:
    value = {"start": entity.start, "end": entity.end, "text": entity.text, "labels": [label]}
    return {
        "id": f"innermost-{number}",
        "from_name": control.name,
        "to_name": control.text_name,
        "type": "labels",
        "score": entity.score,
        "value": value,
    }


def _version(model: ServedModel, fit: Fit | None) -> str:
    """Shown next to each prediction; another configuration makes Label Studio predict again."""
    missing = f" (no label for {', '.join(fit.missing)})" if fit and fit.missing else ""
    return f"{model.name}@{model.version}{missing}"


def _json(message: Any) -> Response:
    return Response(msgspec.json.encode(message), media_type="application/json")
