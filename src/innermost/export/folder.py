"""Turn the folder of a training run into one that runs without torch. Needs the extra ``train``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from innermost.arrays import Weights
from innermost.errors import MissingExtraError, ModelError, UsageError
from innermost.evaluation.card import PLOT, exported_card
from innermost.files.atomic import (
    atomic_folder,
    errors_of_writing,
    temporary_folder,
    write_atomically,
)
from innermost.graphs.encoder import encoder_graph
from innermost.model_folder.card import read_card
from innermost.model_folder.contents import CARD, ENCODER, WEIGHTS
from innermost.model_folder.graph_check import write_graph
from innermost.model_folder.info import (
    FILE,
    ExportInfo,
    ModelInfo,
    exported,
    info_bytes,
    read_info,
)
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.manifest import remove_manifest, write_manifest
from innermost.model_folder.plain_files import damaged
from innermost.model_folder.weights import read_weights
from innermost.parts.contract import ExportHalf, ExportOptions, Storage
from innermost.parts.registry import export_half
from innermost.parts.settings import model_encoder


def export(
    folder: Path,
    out: Path | None = None,
    *,
    int8: bool = False,
    vectors: Storage | None = None,
    top: int | None = None,
    keep: Iterable[str] = (),
) -> Path:
    """Write the files that :func:`innermost.load` needs.

    Without ``out``, they are added to the folder itself. ``int8`` quantizes the recurrent layers
    and a transformer; ``vectors`` is how the word vectors are stored (by default int8 with
    ``int8`` unless they already are quantized, else unchanged); ``top`` keeps only this many of
    the most frequent pretrained words, plus those that ``keep`` needs, such as the words of the
    training data.
    """
    info = read_info(folder)
    parts = model_encoder(folder, info).parts
    weights = _model_weights(folder / WEIGHTS)
    if out is None:
        if int8 or vectors is not None or top is not None:
            raise UsageError("a smaller model needs another folder", hint="set `out`")
        out = folder
    elif folder.resolve().is_relative_to(out.resolve()):
        what = "is" if out.resolve() == folder.resolve() else "contains"
        raise UsageError(f"{out} {what} the model itself", hint="choose another folder to write to")
    halves = {name: _half(name) for name in parts}
    word_vectors = any(half.WORD_VECTORS for half in halves.values())
    if not word_vectors and (vectors is not None or top is not None):
        raise UsageError(f"{folder} has no word vectors to reduce")
    own = {name: _own_weights(weights, name) for name in parts}
    largest = _largest_feature(folder, halves, own) if int8 else None
    graph = encoder_graph(weights, len(info.types), int8=int8, largest=largest)
    keep = frozenset(keep)
    options = ExportOptions(int8=int8, vectors=vectors, top=top, keep=keep)
    with _destination(out, folder) as place:
        write_graph(place / ENCODER, graph)
        for name, half in halves.items():
            half.export(folder, place, parts[name], own[name], options)
        if place != folder:
            also = top is not None and bool(keep)
            changes = ExportInfo(int8=int8, vectors=vectors or "", top=top, keep=also)
            _describe(folder, place, info, changes)
        write_manifest(place)
    return out


def _describe(folder: Path, place: Path, info: ModelInfo, changes: ExportInfo) -> None:
    """Write what is known about the model, and that its scores are older than the changes."""
    card = read_card(folder)
    if changes != ExportInfo():
        info = exported(info, changes)
        card = exported_card(card, changes) if card else ""
    write_atomically(place / FILE, info_bytes(info))
    if card:
        write_atomically(place / CARD, card.encode())
    if (folder / PLOT).exists():
        write_atomically(place / PLOT, (folder / PLOT).read_bytes())


@contextmanager
def _destination(out: Path, folder: Path) -> Iterator[Path]:
    """Where to write: the model itself, or a folder that becomes ``out`` when it is complete."""
    if out == folder:
        remove_manifest(out)
        yield out
    elif not out.exists() or (out.is_dir() and not any(out.iterdir())):
        with atomic_folder(out) as place:
            yield place
    elif not (out / FILE).exists():
        raise UsageError(
            f"{out} exists and contains no model", hint="choose a new name, or an empty folder"
        )
    else:
        # An older export: it keeps its other files, and never is a mixture of two models.
        with temporary_folder(out) as place:
            yield place
            with errors_of_writing(out):
                remove_manifest(out)
                files = sorted(path for path in place.rglob("*") if path.is_file())
                for file in sorted(files, key=lambda path: path.name == MANIFEST):
                    target = out / file.relative_to(place)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    file.replace(target)


def _half(name: str) -> ExportHalf:
    try:
        import onnx  # noqa: F401

        return export_half(name)
    except ImportError as error:
        raise MissingExtraError("Exporting", "train", error.name) from None


def _model_weights(path: Path) -> Weights:
    if not path.exists() and (path.parent / ENCODER).exists():
        raise ModelError(
            f"{path.parent} is already exported, without the {path.name} that an export needs",
            hint="use or copy the folder as it is",
        )
    weights = read_weights(path)
    if "emit.weight" not in weights:
        raise damaged(path, "it does not contain the weights of a model")
    return weights


def _largest_feature(
    folder: Path, halves: Mapping[str, ExportHalf], own: Mapping[str, Weights]
) -> float | None:
    """A bound on all features, if every part has one."""
    bounds = [half.largest_feature(folder, own[name]) for name, half in halves.items()]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def _own_weights(weights: Weights, part: str) -> Weights:
    """The weights of one part, with the names that its module uses."""
    prefix = f"{part}."
    return {n.removeprefix(prefix): w for n, w in weights.items() if n.startswith(prefix)}
