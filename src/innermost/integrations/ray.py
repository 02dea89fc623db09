"""Nested entities in a Ray Dataset, and runs over many files on a Ray cluster. Needs ``ray``.

    from innermost.integrations.ray import extract

    extract(ray.data.read_parquet("abstracts/"), text="abstract").write_parquet("entities/")

``innermost predict --engine ray`` reads files and writes parts in one process, so that rejects,
resuming and output are the same as in a run on one machine, byte for byte; Ray's actors predict.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from innermost.bulk.blocks import Block
from innermost.bulk.parts import PartNote, write_part
from innermost.bulk.run import Engine
from innermost.bulk.settings import Settings
from innermost.bulk.shards import Shard
from innermost.bulk.worker import Task, Worker
from innermost.errors import InnermostError, MissingExtraError, ResourceError
from innermost.integrations.columns import (
    PortableModel,
    check_columns,
    predicted_columns,
    prediction_settings,
)

if TYPE_CHECKING:
    import pyarrow
    from ray.data import Dataset

_ADDED = ("entities", "error")
_BATCH_ROWS = 1_024
_AHEAD = 2
"""Blocks queued per actor, so that no actor is idle."""
_ATTEMPTS = 3


def extract(
    dataset: Dataset,
    *,
    text: str = "text",
    model: str | Path | None = None,
    actors: int | None = None,
    threads: int = 1,
    max_depth: int | None = None,
    min_score: float | Mapping[str, float] = 0.0,
    types: Collection[str] | None = None,
    layer: str | None = None,
    sentences: bool = True,
    tokenizer: str | None = None,
    device: str = "cpu",
) -> Dataset:
    """The dataset with the columns ``entities`` and ``error`` (why a row could not be predicted).

    One output row per row, in order. ``model`` is the name of an installed model, or a folder that
    every node can read. ``actors`` is their maximum number; Ray starts as many as the cluster has
    room for. With the device ``cuda``, each has a GPU. The other options are those of
    :func:`innermost.load`.
    """
    ray = _ray()
    known = dataset.columns(fetch_if_missing=False)
    if known is not None:
        check_columns(known, (text,), "dataset")
    settings = prediction_settings(
        max_depth=max_depth,
        min_score=min_score,
        types=types,
        layer=layer,
        sentences=sentences,
        tokenizer=tokenizer,
        device=device,
    )
    result = dataset.map_batches(
        _BatchPredictor,
        fn_constructor_args=(_Predictor(model, settings, threads), text),
        batch_format="pyarrow",
        batch_size=_BATCH_ROWS,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors),
        **_resources(threads, device),
    )
    result.context.execution_options.preserve_order = True
    return result


def engine(*, jobs: int | None = None, address: str | None = None) -> Engine:
    """The engine for :func:`innermost.bulk.run.predict_files` on a Ray cluster.

    ``jobs`` actors, by default as many as the cluster has CPUs (or GPUs) for; those that wait for
    a node join when it is available. Without an ``address``, a cluster on this machine.
    """
    _ray()
    return partial(_completed, jobs=jobs, address=address)


class _Predictor:
    """A model that is loaded where it is unpickled."""

    def __init__(self, model: str | Path | None, settings: Settings, threads: int) -> None:
        self._model, self._settings, self._threads = PortableModel.of(model), settings, threads

    @cached_property
    def worker(self) -> Worker:
        return Worker(self._model.locate(), self._settings, self._threads)


class _BatchPredictor:
    """The class of Ray Data's actors."""

    def __init__(self, predictor: _Predictor, text: str) -> None:
        self._worker, self._text = predictor.worker, text

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        check_columns(batch.column_names, (self._text,), "dataset")
        columns = predicted_columns(batch.column(self._text), self._worker)
        kept = batch.drop_columns([name for name in _ADDED if name in batch.column_names])
        for name, column in zip(_ADDED, columns, strict=True):
            kept = kept.append_column(name, column)
        return kept


class _BlockPredictor:
    """An actor of a run over many files. It returns the part to the process that writes it."""

    def __init__(self, predictor: _Predictor) -> None:
        self._predictor = predictor

    def start(self) -> None:
        """Load the model in a call, so that its errors are raised there."""
        self._predictor.worker.documents([])

    def part(self, shard: Shard, block: Block) -> tuple[bytes, PartNote]:
        return self._predictor.worker.part(shard, block)


def _completed(
    tasks: Iterable[Task], worker: Worker, *, jobs: int | None, address: str | None
) -> Iterator[tuple[Task, PartNote]]:
    """Each task when its part is written, in any order. Ray restarts an actor that dies."""
    waiting = iter(tasks)
    first = list(islice(waiting, 1))
    if not first:
        return
    waiting = chain(first, waiting)
    ray = _ray()
    with _cluster(address, (jobs or 0) * worker.threads), _actors(worker, jobs) as actors:
        starting = {actor.start.remote(): actor for actor in actors}
        running: dict[Any, tuple[Task, Any]] = {}
        free: deque[Any] = deque()
        while True:
            while free and (task := next(waiting, None)) is not None:
                actor = free.popleft()
                running[actor.part.remote(task.shard, task.block)] = task, actor
            if free and not running:
                return
            (done,), _ = ray.wait([*running, *starting], num_returns=1)
            if done in starting:
                _result(done, running)
                free.extend([starting.pop(done)] * _AHEAD)
                continue
            data, note = _result(done, running)
            task, actor = running.pop(done)
            free.append(actor)
            write_part(task.folder, task.block.number, data, note)
            yield task, note


def _result(reference: Any, running: Mapping[Any, tuple[Task, Any]]) -> Any:
    """The result of an actor; its errors are raised here."""
    ray = _ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, InnermostError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        places = "; ".join(
            f"{task.shard.path}, {task.block.place()}" for task, _ in running.values()
        )
        raise ResourceError(
            f"Ray lost an actor {_ATTEMPTS} times ({type(error).__name__}), at one of: {places}",
            hint="use fewer --jobs or a smaller --max-row-bytes; --resume continues from here",
        ) from None


@contextmanager
def _actors(worker: Worker, jobs: int | None) -> Iterator[list[Any]]:
    ray = _ray()
    device = worker.settings.device
    unit, each = ("GPU", 1) if device == "cuda" else ("CPU", worker.threads)
    room = int(ray.cluster_resources().get(unit, 0)) // each
    if not room and device == "cuda":
        raise ResourceError(
            "the Ray cluster has no GPU",
            hint="add a node with one, or predict on CPUs, which is the default",
        )
    jobs = jobs or max(room, 1)
    predictor = _Predictor(worker.model, worker.settings, worker.threads)
    kind = ray.remote(_BlockPredictor).options(
        max_restarts=-1,
        max_task_retries=_ATTEMPTS - 1,
        **_resources(worker.threads, device),
    )
    actors = [kind.remote(predictor) for _ in range(jobs)]
    try:
        yield actors
    finally:
        for actor in actors:
            ray.kill(actor)


@contextmanager
def _cluster(address: str | None, cpus: int) -> Iterator[None]:
    """The cluster that this process is connected to, or the one at an address, or a new one."""
    ray = _ray()
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"logging_level": "error", "log_to_driver": False}
    address = address or os.environ.get("RAY_ADDRESS")
    if address is None:
        # A run on this machine needs no dashboard and sends no usage statistics.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        options |= {"include_dashboard": False, "num_cpus": max(cpus, os.cpu_count() or 1)}
    try:
        ray.init(address=address, **options)
    except ConnectionError as error:
        raise ResourceError(
            f"no Ray cluster at {address}: {str(error).splitlines()[0]}",
            hint="--address takes HOST:PORT, ray://HOST:10001, or auto",
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def _resources(threads: int, device: str) -> dict[str, float]:
    """The resources of one actor. Ray gives it as many threads as CPUs."""
    return {"num_cpus": threads, "num_gpus": 1 if device == "cuda" else 0}


def _ray() -> Any:
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("Ray", "ray") from None
    return ray
