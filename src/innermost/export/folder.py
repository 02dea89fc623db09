"""From a folder that training wrote to one that runs without torch. Needs the extra ``train``."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from innermost.errors import MissingExtraError, ModelError, UsageError
from innermost.export.encoder_graph import Weights, encoder_graph
from innermost.export.int8 import eight_bits
from innermost.model_folder.contents import (
    CARD,
    CHARACTERS,
    ENCODER,
    FLAIR,
    LANGUAGE_MODEL,
    TOKENIZER,
    TRAINED,
    TRANSFORMER,
    TRANSFORMER_GRAPH,
    VECTORS,
    VOCABULARY,
    WEIGHTS,
    damaged,
    read_array,
    read_vocabulary,
    scales_of,
    vocabulary_bytes,
)
from innermost.model_folder.graph_check import check_graph
from innermost.model_folder.info import FILE, read_info
from innermost.parts.flair.graph import language_model_graph
from innermost.parts.flair.runtime import numbered_folders
from innermost.parts.flair.string_embeddings import CHARACTERS as ALPHABET
from innermost.parts.settings import FlairSettings, TransformerSettings, embedders_of
from innermost.parts.wordchar.vocabulary import EDGE, Vocabulary
from innermost.parts.wordchar.word_table import Storage, quantise
from innermost.runtime.features import read_encoder


def export(
    folder: Path,
    out: Path | None = None,
    *,
    int8: bool = False,
    vectors: Storage | None = None,
    top: int | None = None,
    keep: Iterable[str] = (),
) -> Path:
    """Write what :func:`innermost.load` needs.

    Without ``out``, into the folder itself, which stays as it is otherwise. ``int8`` quantises the
    recurrent layers and a transformer; ``vectors`` says how the word vectors are stored (if not
    given, int8 with ``int8``, else as they are); ``top`` keeps only so many of the most frequent
    pretrained words, and those that ``keep`` needs, the words of the training data for instance.
    """
    info = read_info(folder)
    embedders = embedders_of(read_encoder(folder, info))
    weights = _read_weights(folder / WEIGHTS)
    if out is None:
        if int8 or vectors is not None or top is not None:
            raise UsageError("a smaller model needs a folder of its own", hint="give `out`")
        out = folder
    elif out.resolve() == folder.resolve():
        raise UsageError(f"{out} is the model itself", hint="choose another folder to write to")
    if "wordchar" not in embedders and (vectors is not None or top is not None):
        raise UsageError(f"{folder} has no word vectors that could be made smaller")
    bounded = int8 and [*embedders] == ["wordchar"]
    largest = _largest_feature(folder, weights) if bounded else None
    graph = _graph(weights, len(info.types), int8=int8, largest=largest)
    out.mkdir(parents=True, exist_ok=True)
    _write_graph(out / ENCODER, graph)
    for settings in embedders.values():
        if isinstance(settings, TransformerSettings):
            _export_transformer(folder, out, settings, weights, int8=int8)
        elif isinstance(settings, FlairSettings):
            _export_flair(folder, out, int8=int8)
        else:
            storage: Storage | None = vectors or ("int8" if int8 else None)
            _export_words(folder, out, weights, storage, top=top, keep=keep)
    if out != folder:
        for name in (FILE, CARD):
            if (folder / name).exists():
                shutil.copyfile(folder / name, out / name)
    return out


def _export_words(
    folder: Path,
    out: Path,
    weights: Weights,
    storage: Storage | None,
    *,
    top: int | None,
    keep: Iterable[str],
) -> None:
    vocabulary = read_vocabulary(folder)
    _write_array(out / CHARACTERS, _character_tables(weights))
    _write_table(out / TRAINED, weights["wordchar.trained"], storage)
    if out != folder:
        kept = _kept_words(vocabulary, top, keep)
        _write_words(folder, out, vocabulary, storage, kept)


def _export_transformer(
    folder: Path, out: Path, settings: TransformerSettings, weights: Weights, *, int8: bool
) -> None:
    try:
        from innermost.parts.transformer.graph import transformer_graph
    except ImportError:
        raise MissingExtraError("Exporting", "train") from None
    source = folder / TRANSFORMER
    graph = transformer_graph(source, settings, weights)
    _write_graph(out / TRANSFORMER_GRAPH, eight_bits(graph) if int8 else graph)
    _write(out / TOKENIZER, (source / TOKENIZER).read_bytes())


def _export_flair(folder: Path, out: Path, *, int8: bool) -> None:
    for source in numbered_folders(folder):
        target = out / FLAIR / source.name
        target.mkdir(parents=True, exist_ok=True)
        tensors = _read_tensors(source / LANGUAGE_MODEL)
        forward = any(name.startswith("fwd.") for name in tensors)
        weights = {name.split(".", 1)[1]: tensor for name, tensor in tensors.items()}
        graph = language_model_graph(weights, int8=int8)
        _write_graph(target / f"{'forward' if forward else 'backward'}.onnx", graph)
        _write(target / ALPHABET, (source / ALPHABET).read_bytes())


def _kept_words(vocabulary: Vocabulary, top: int | None, keep: Iterable[str]) -> list[int]:
    """Which of the pretrained words stay, the most frequent first."""
    first = 1 + len(vocabulary.trained)
    needed = {vocabulary.word(form) - first for form in keep}
    everything = range(len(vocabulary.pretrained))
    return sorted({*everything[:top], *(number for number in needed if number >= 0)})


def _write_words(
    folder: Path, out: Path, vocabulary: Vocabulary, storage: Storage | None, kept: list[int]
) -> None:
    table = read_array(folder / VECTORS, (len(vocabulary.pretrained), None))[kept]
    words = [vocabulary.pretrained[number] for number in kept]
    fewer = Vocabulary(vocabulary.trained, words, vocabulary.characters)
    _write(out / VOCABULARY, vocabulary_bytes(fewer))
    _write_table(out / VECTORS, table, storage)


def _largest_feature(folder: Path, weights: Weights) -> float:
    """What no feature of a word and its characters exceeds, however the vectors are rounded."""
    of_characters = 1.0  # by a tanh
    tables = (weights["wordchar.trained"], read_array(folder / VECTORS, (None, None)))
    return 1.001 * max(of_characters, *(float(np.abs(t).max(initial=0)) for t in tables))


def _graph(weights: Weights, types: int, *, int8: bool, largest: float | None) -> bytes:
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise MissingExtraError("Exporting", "train") from None
    return encoder_graph(weights, types, int8=int8, largest=largest)


def _character_tables(weights: Weights) -> npt.NDArray[np.float32]:
    """``[3, character, filter]``, the bias in the middle one: each window has one middle."""
    embedding = weights["wordchar.characters.embedding"].copy()
    embedding[EDGE] = 0
    tables: npt.NDArray[np.float32] = embedding @ weights["wordchar.characters.kernel"]
    tables[1] += weights["wordchar.characters.bias"]
    return tables


def _read_weights(path: Path) -> Weights:
    weights: Weights = _read_tensors(path)
    if "emit.weight" not in weights:
        raise damaged(path, "it does not hold the weights of a model")
    return weights


def _read_tensors(path: Path) -> Weights:
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
    except ImportError:
        raise MissingExtraError("Exporting", "train") from None
    try:
        tensors: Weights = load_file(path)
    except (OSError, SafetensorError) as error:
        if not path.exists():
            raise ModelError(
                f"{path.parent} has no {path.name}",
                hint="only a folder that `innermost train` wrote can be exported",
            ) from None
        raise damaged(path, error) from None
    return tensors


def _write_table(path: Path, table: npt.NDArray[Any], storage: Storage | None) -> None:
    if storage is None or storage == "float16":
        _write_array(path, table if storage is None else table.astype(np.float16))
        return
    numbers, scales = quantise(table.astype(np.float32), storage)
    _write_array(path, numbers)
    _write_array(scales_of(path), scales)


def _write_array(path: Path, array: npt.NDArray[Any]) -> None:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    _write(path, buffer.getvalue())


def _write_graph(path: Path, graph: bytes) -> None:
    """Only what can be loaded: a transformer of a new family may use operators not yet allowed."""
    check_graph(graph, path)
    _write(path, graph)


def _write(path: Path, data: bytes) -> None:
    """A model that is in use keeps the file it has mapped; nobody ever sees half a file."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)
