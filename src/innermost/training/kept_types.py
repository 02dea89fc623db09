"""Add types to a model that keeps its own.

With a frozen encoder, the files of the model are unchanged and the new types get a separate head:
predictions for the old types are identical, bit for bit. With a trained encoder, the
model's predictions on the new text replace the missing annotation of the old types.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from innermost.arrays import Weights
from innermost.corpus import Sentence
from innermost.corpus.quality.fingerprint import fingerprint
from innermost.errors import ConfigError
from innermost.evaluation import Evaluation
from innermost.files.atomic import write_atomically
from innermost.graphs.added_head import with_head
from innermost.model_folder.contents import CARD, ENCODER, WEIGHTS
from innermost.model_folder.graph_check import write_graph
from innermost.model_folder.info import FILE, ModelInfo, info_bytes, read_info
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.weights import read_weights
from innermost.training.data.dataset import Coverage, Labels, Split, labels_of, types_in
from innermost.training.records.checkpoint import weights_bytes
from innermost.training.start import Start


def keeping(
    splits: Mapping[str, Split], start: Start, *, frozen: bool
) -> tuple[dict[str, Split], list[str]]:
    """The data for adding types to a model; the second value is warnings about unused data.

    Files without ``annotates`` annotate the new types and those that occur in them.
    """
    old = frozenset(start.info.types)
    new = types_in(splits["train"]) - old
    if not new:
        raise ConfigError(
            f"the training data has no type that {start.name} does not already have",
            hint="drop --keep-types to train these types further",
        )
    result = {name: _declared(split, new) for name, split in splits.items()}
    if not frozen:
        return result | {"train": with_predictions(result["train"], start)}, []
    warnings = []
    for name, split in result.items():
        result[name], unused = _without(split, old)
        if unused:
            warnings.append(
                f"{split.path}: {unused:,} entities of types that {start.name} already has are not "
                "used, because the encoder is frozen"
            )
    return result, warnings


def _declared(split: Split, new: Labels) -> Split:
    files, first = [], 0
    for file in split.coverage:
        own = labels_of(split.sentences[first : first + file.sentences])
        labels = own | new if file.annotates is None else file.annotates
        files.append(replace(file, annotates=labels))
        first += file.sentences
    return replace(split, files=tuple(files))


def _without(split: Split, old: Labels) -> tuple[Split, int]:
    """The split without the kept types, and the number of their entities."""
    sentences = [
        replace(s, entities=[e for e in s.entities if e.label not in old]) for s in split.sentences
    ]
    left, all_ = (sum(len(s.entities) for s in part) for part in (sentences, split.sentences))
    files = [replace(file, annotates=(file.annotates or frozenset()) - old) for file in split.files]
    return Split(split.path, sentences, fingerprint(sentences), tuple(files)), all_ - left


def with_predictions(split: Split, start: Start) -> Split:
    """Add the model's predictions for types that a file does not annotate."""
    old = frozenset(start.info.types)
    sentences: list[Sentence] = []
    rows = zip(split.sentences, split.annotated(), start.predictions(split.sentences), strict=True)
    for sentence, annotated, spans in rows:
        missing = old - (annotated or frozenset())
        filled = [span for span in spans if span.label in missing]
        sentences.append(replace(sentence, entities=[*sentence.entities, *filled]))
    files = [_filled(file, old) for file in split.files]
    return Split(split.path, sentences, fingerprint(sentences), tuple(files))


def _filled(file: Coverage, old: Labels) -> Coverage:
    own = file.annotates or Labels()
    return replace(file, annotates=own | old, predicted=old - own)


def scores_of_start(start: Start, split: Split) -> dict[str, Any] | None:
    """The scores of the model on its own types, where ``split`` annotates them."""
    old = frozenset(start.info.types)
    evaluation = Evaluation()
    rows = zip(split.sentences, split.annotated(), start.predictions(split.sentences), strict=True)
    for sentence, annotated, spans in rows:
        labels = old if annotated is None else old & annotated
        gold = [span for span in sentence.entities if span.label in labels]
        evaluation.add(gold, [span for span in spans if span.label in labels])
    return evaluation.to_dict() if evaluation.micro.gold else None


def add_types(start: Start, head: Path, out: Path) -> ModelInfo:
    """Write a model with the types of ``start`` and of the trained folder ``head``.

    It has no manifest yet, so that a card can be added.
    """
    new = read_info(head)
    shutil.copytree(
        start.folder,
        out,
        ignore=shutil.ignore_patterns(MANIFEST, CARD, WEIGHTS, "*.svg"),
        dirs_exist_ok=True,
    )
    # All types share one temperature: that of the new ones is folded into their weights, because
    # scaling all emissions of a type changes no best path.
    trained = read_weights(head / WEIGHTS)
    factor = np.float32(start.info.temperature / new.temperature)
    weight, bias = factor * trained["emit.weight"], factor * trained["emit.bias"]
    write_graph(out / ENCODER, with_head((start.folder / ENCODER).read_bytes(), weight, bias))
    if (start.folder / WEIGHTS).exists():
        write_atomically(out / WEIGHTS, _joined(start.weights, weight, bias))
    info = msgspec.structs.replace(
        new,
        types=[*start.info.types, *new.types],
        layers=start.info.layers,
        tokenizer=start.info.tokenizer,
        encoder=start.info.encoder,
        temperature=start.info.temperature,
        training={**new.training, "kept": start.info.training},
    )
    write_atomically(out / FILE, info_bytes(info))
    return info


def _joined(weights: Weights, weight: Any, bias: Any) -> bytes:
    joined = {
        **weights,
        "emit.weight": np.concatenate((weights["emit.weight"], weight)),
        "emit.bias": np.concatenate((weights["emit.bias"], bias)),
    }
    return weights_bytes({name: torch.from_numpy(np.array(v)) for name, v in joined.items()})
