"""One block: predict its texts, and write a part of the output."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from innermost.bulk.blocks import Block
from innermost.bulk.parquet import ENTITIES, arrow, predicted_table, row_dicts
from innermost.bulk.parts import PartNote, write_part
from innermost.bulk.rejects import Reject
from innermost.bulk.settings import Settings
from innermost.bulk.shards import Shard
from innermost.document import Document
from innermost.errors import InnermostWarning
from innermost.files.compression import compressing
from innermost.runtime.model import Model


@dataclass(frozen=True, slots=True)
class Task:
    """A block, and the folder of the parts of its shard."""

    shard: Shard
    folder: Path
    block: Block


@dataclass(frozen=True)
class Worker:
    """Predicts blocks with a model that is loaded for the first one."""

    model: Path
    settings: Settings
    threads: int

    def __call__(self, task: Task) -> PartNote:
        """Write the part of a block, and return its note."""
        data, note = self.part(task.shard, task.block)
        write_part(task.folder, task.block.number, data, note)
        return note

    def part(self, shard: Shard, block: Block) -> tuple[bytes, PartNote]:
        """The part of a block, for the file and the note that it becomes."""
        documents = self.documents(block.texts)
        pairs = list(zip(block.rows, block.ids, documents, strict=True))
        failures = [
            Reject(row, id, f"prediction failed: {outcome}")
            for row, id, outcome in pairs
            if isinstance(outcome, str)
        ]
        kept = [index for index, outcome in enumerate(documents) if not isinstance(outcome, str)]
        written = [document for document in documents if not isinstance(document, str)]
        columns = _selected(block.columns, kept) if failures else block.columns
        rejects = sorted([*block.rejects, *failures], key=lambda reject: reject.row)
        note = PartNote(
            rows=len(written) + len(rejects),
            written=len(written),
            entities=sum(len(document.entities) for document in written),
            rejects=rejects,
        )
        return _encoded(shard, columns, written), note

    @cached_property
    def _nlp(self) -> Model:
        settings = self.settings
        return Model(
            self.model,
            threads=self.threads,
            max_depth=settings.max_depth,
            min_score=settings.min_score,
            types=settings.types,
            layer=settings.layer,
            sentences=settings.sentences,
            tokenizer=settings.tokenizer,
            memory_map=True,  # The workers share the memory of the file.
            device=settings.device,
        )

    def documents(self, texts: Sequence[str]) -> list[Document | str]:
        """A document per text, or the reason why it cannot be predicted."""
        nlp = self._nlp
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InnermostWarning)
            try:
                return list(nlp.pipe(texts))
            except Exception:  # one of them is the cause, the others are fine
                return [_alone(nlp, text) for text in texts]


def _alone(nlp: Model, text: str) -> Document | str:
    try:
        return nlp(text)
    except Exception as error:  # whatever it is, the run continues
        return f"{type(error).__name__}: {error}"


def _selected(columns: Any, kept: list[int]) -> Any:
    if isinstance(columns, list):
        return [columns[index] for index in kept]
    return columns if columns is None else columns.take(kept)


def _encoded(shard: Shard, columns: Any, documents: Sequence[Document]) -> bytes:
    buffer = io.BytesIO()
    if shard.output_format == "parquet":
        table = predicted_table([] if columns is None else columns, documents)
        # Parts are read once, by this version.
        arrow().parquet.write_table(table, buffer, compression="none")
        return buffer.getvalue()
    encode = msgspec.json.Encoder(enc_hook=str).encode
    sink = compressing(buffer, shard.output)
    rows = [] if columns is None else row_dicts(columns)
    for row, document in zip(rows, documents, strict=True):
        entities = [entity.to_dict() for entity in document.entities]
        sink.write(encode({**row, ENTITIES: entities}) + b"\n")
    if sink is not buffer:
        sink.close()
    return buffer.getvalue()
