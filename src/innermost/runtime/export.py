"""From a folder that training wrote to one that runs without torch. Needs the extra ``train``."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.encoders.vocabulary import EDGE, Vocabulary
from innermost.encoders.weight_names import with_current_names
from innermost.errors import MissingExtraError, ModelError, UsageError
from innermost.runtime.model_files import (
    CARD,
    CHARACTERS,
    ENCODER,
    TRAINED,
    VECTORS,
    VOCABULARY,
    WEIGHTS,
    damaged,
    read_array,
    read_vocabulary,
    scales_of,
    vocabulary_bytes,
)
from innermost.runtime.model_info import FILE, read_info
from innermost.runtime.onnx_graph import Weights, encoder_graph


def export(
    folder: Path, out: Path | None = None, *, int8: bool = False, top: int | None = None
) -> Path:
    """Write what :func:`innermost.load` needs.

    Without ``out``, into the folder itself, which stays as it is otherwise. ``int8`` quantises the
    recurrent layers and the word vectors; ``top`` keeps only so many of the most frequent
    pretrained words.
    """
    info = read_info(folder)
    vocabulary = read_vocabulary(folder)
    weights = _read_weights(folder / WEIGHTS)
    if out is None:
        if int8 or top is not None:
            raise UsageError("int8 and top need a folder of their own", hint="give `out`")
        out = folder
    elif out.resolve() == folder.resolve():
        raise UsageError(f"{out} is the model itself", hint="choose another folder to write to")
    graph = _graph(weights, len(info.types), int8=int8)
    out.mkdir(parents=True, exist_ok=True)
    _write(out / ENCODER, graph)
    _write_array(out / CHARACTERS, _character_tables(weights))
    _write_table(out / TRAINED, weights["wordchar.trained"], int8=int8)
    if out != folder:
        _write_words(folder, out, vocabulary, int8=int8, top=top)
        for name in (FILE, CARD):
            if (folder / name).exists():
                shutil.copyfile(folder / name, out / name)
    return out


def _write_words(
    folder: Path, out: Path, vocabulary: Vocabulary, *, int8: bool, top: int | None
) -> None:
    kept = vocabulary.pretrained[:top]
    table = read_array(folder / VECTORS, (len(vocabulary.pretrained), None))[: len(kept)]
    fewer = Vocabulary(vocabulary.trained, kept, vocabulary.characters)
    _write(out / VOCABULARY, vocabulary_bytes(fewer))
    if int8:
        _write_table(out / VECTORS, table.astype(np.float32), int8=True)
    else:
        _write_array(out / VECTORS, table)


def _graph(weights: Weights, types: int, *, int8: bool) -> bytes:
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise MissingExtraError("Exporting", "train") from None
    return encoder_graph(weights, types, int8=int8)


def _character_tables(weights: Weights) -> npt.NDArray[np.float32]:
    """``[3, character, filter]``, the bias in the middle one: each window has one middle."""
    embedding = weights["wordchar.characters.embedding"].copy()
    embedding[EDGE] = 0
    tables: npt.NDArray[np.float32] = embedding @ weights["wordchar.characters.kernel"]
    tables[1] += weights["wordchar.characters.bias"]
    return tables


def _read_weights(path: Path) -> Weights:
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError:
        raise MissingExtraError("Exporting", "train") from None
    try:
        weights: Weights = with_current_names(load_file(path))
    except (OSError, SafetensorError) as error:
        if not path.exists():
            raise ModelError(
                f"{path.parent} has no {path.name}",
                hint="only a folder that `innermost train` wrote can be exported",
            ) from None
        raise damaged(path, error) from None
    if "emit.weight" not in weights:
        raise damaged(path, "it does not hold the weights of a word and character encoder")
    return weights


def _write_table(path: Path, table: npt.NDArray[np.float32], *, int8: bool) -> None:
    if not int8:
        _write_array(path, table)
        return
    scales = np.abs(table).max(axis=1, initial=0.0) / 127
    divisors = np.where(scales > 0, scales, 1.0)
    _write_array(path, np.rint(table / divisors[:, None]).astype(np.int8))
    _write_array(scales_of(path), scales.astype(np.float32))


def _write_array(path: Path, array: npt.NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    _write(path, buffer.getvalue())


def _write(path: Path, data: bytes) -> None:
    """A model that is in use keeps the file it has mapped; nobody ever sees half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)
