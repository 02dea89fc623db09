"""What a worker does with its models: turn jobs into JSON documents."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from innermost.document import Document
from innermost.model_folder.manifest import SHORT, folder_checksum
from innermost.runtime import load
from innermost.runtime.pipeline import MAX_LEVELS, MAX_LEVELS_IN_STRETCHES, STRETCH
from innermost.service.jobs import Answer, Answers, Job
from innermost.service.offsets import unit_positions
from innermost.service.schemas import Dropped, Entity, ExtractedDocument, ServedModel
from innermost.service.settings import ModelSource

STAGES = ("tokenize", "encode", "decode")
_STAGE = {"tokenize": "tokenize", "features": "encode", "encoder": "encode"}
_WARM_UP = "The first run of a network is slow."


class Predictor:
    """The models of a worker."""

    def __init__(self, models: Sequence[ModelSource], threads: int, device: str = "cpu") -> None:
        self._models = {
            name: load(folder, threads=threads, layer=layer, device=device)
            for name, folder, layer in models
        }
        self._encode = msgspec.json.Encoder().encode
        self._clock = StageClock()
        self._pipelines = {
            name: replace(model.pipeline, clock=self._clock.lap)
            for name, model in self._models.items()
        }

    def warm_up(self) -> None:
        """Predict one text and several: they take different paths through the runtime."""
        for pipeline in self._pipelines.values():
            for texts in ([_WARM_UP], [_WARM_UP] * 2, [f"{_WARM_UP} " * 8] * 32):
                list(pipeline.documents(texts))

    def served(self) -> list[ServedModel]:
        return [
            ServedModel(
                name=name,
                version=folder_checksum(model.folder)[:SHORT],
                types=list(model.types),
                tokenizer=model.info.tokenizer,
                default=number == 0,
                scores={} if model.layer else model.info.scores,  # those of the default layer
            )
            for number, (name, model) in enumerate(self._models.items())
        ]

    def __call__(self, jobs: Sequence[Job]) -> Answers:
        self._clock.start()
        answers: list[Answer | None] = [None] * len(jobs)
        sentences = 0
        by_model: dict[str, list[int]] = defaultdict(list)
        for index, job in enumerate(jobs):
            by_model[job.model].append(index)
        for name, indices in by_model.items():
            chosen = [jobs[index] for index in indices]
            for index, document in zip(indices, self._documents(name, chosen), strict=True):
                if isinstance(document, Document):
                    sentences += len(document.sentences)
                    answers[index] = self._answer(jobs[index], document)
                else:
                    answers[index] = Answer(b"", 0, type(document).__name__)
        self._clock.lap("output")
        complete = [answer for answer in answers if answer is not None]
        tokens = sum(answer.tokens for answer in complete)
        return Answers(complete, sentences, tokens, self._clock.seconds)

    def _documents(self, name: str, jobs: Sequence[Job]) -> list[Document | Exception]:
        try:
            return list(self._pipelines[name].documents([_item(job) for job in jobs]))
        except Exception as error:
            if len(jobs) == 1:
                return [error]
        # One bad job must not fail the others in its batch.
        return [self._documents(name, [job])[0] for job in jobs]

    def _answer(self, job: Job, document: Document) -> Answer:
        tokens = sum(map(len, document.sentences))
        selection = document.select(
            types=job.types, min_score=job.min_score, max_depth=job.max_depth
        )
        extracted = ExtractedDocument(
            entities=_entities(selection, job.offsets),
            characters=len(document.text),
            tokens=tokens,
            sentences=len(document.sentences),
            windows=sum(-(-len(sentence) // STRETCH) for sentence in document.sentences),
            dropped=_dropped(document, job.max_depth),
        )
        return Answer(self._encode(extracted), tokens)


class StageClock:
    """Adds up the seconds of each stage of a batch."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._last = 0.0

    def start(self) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[_STAGE.get(stage, "decode")] += now - self._last
        self._last = now


def _item(job: Job) -> str | list[str]:
    return job.text if job.text is not None else job.tokens or []


def _entities(document: Document, unit: str) -> list[Entity]:
    positions = unit_positions(document.text, unit)
    return [
        Entity(
            start=entity.start if positions is None else int(positions[entity.start]),
            end=entity.end if positions is None else int(positions[entity.end]),
            label=entity.label,
            text=entity.text,
            level=entity.level,
            score=round(entity.score, 4),
            parent=entity.parent,
            token_start=entity.token_start,
            token_end=entity.token_end,
        )
        for entity in document.entities
    ]


def _dropped(document: Document, max_depth: int | None) -> list[Dropped]:
    """Report a stop at the depth limit: each level takes another pass over the sentence."""
    long = any(len(sentence) > STRETCH for sentence in document.sentences)
    deepest = MAX_LEVELS_IN_STRETCHES if long else MAX_LEVELS
    level = max((entity.level for entity in document.entities), default=0)
    if level < deepest or (max_depth is not None and max_depth <= deepest):
        return []
    detail = f"entities nested more than {deepest} levels deep were not searched for"
    return [Dropped(what="levels", detail=detail)]
