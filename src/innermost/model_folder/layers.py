"""Layers of annotation: a type named ``mentions/person`` is ``person`` in the layer ``mentions``.

A model with several layers is used one layer at a time. It names its layers in ``model.toml``; all
other types are the default layer, and a ``/`` in them is just part of the label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from innermost.corpus.similarity import similar
from innermost.errors import UsageError
from innermost.model_folder.info import SEPARATOR, ModelInfo


def select_types(
    info: ModelInfo, *, layer: str | None = None, labels: Collection[str] | None = None
) -> dict[int, str]:
    """The positions and labels of the types of a layer, or only of ``labels`` if given."""
    known = info.layers
    if layer is not None and layer not in known:
        listed = f"its layers: {', '.join(known)}" if known else "it has only one layer"
        raise UsageError(f"the model has no layer {layer!r}", hint=listed)
    in_layer = {
        position: _label(name, layer)
        for position, name in enumerate(info.types)
        if layer_of(name, known) == layer
    }
    if labels is None:
        return in_layer
    if isinstance(labels, str) or not labels:
        raise UsageError(f"types is {labels!r}", hint="give a list of one type or more")
    check_labels(labels, in_layer.values())
    return {position: label for position, label in in_layer.items() if label in set(labels)}


def layer_of(label: str, known: Collection[str]) -> str | None:
    """The layer of a label, if it is a known one."""
    layer, separator, _ = label.partition(SEPARATOR)
    return layer if separator and layer in known else None


def check_labels(labels: Iterable[str], types: Iterable[str]) -> None:
    """Refuse labels that are not among the types of a model."""
    listed = list(types)
    for label in labels:
        if label not in listed:
            close = similar(label, listed)
            raise UsageError(
                f"the model has no type {label!r}",
                hint=f"did you mean {close!r}?" if close else f"it has: {', '.join(listed)}",
            )


def _label(name: str, layer: str | None) -> str:
    return name if layer is None else name.removeprefix(f"{layer}{SEPARATOR}")
