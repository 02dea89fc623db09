"""The weights of a model folder under torch's names, exported or not. Needs the extra ``train``."""

from __future__ import annotations

from pathlib import Path

from innermost.arrays import Floats
from innermost.errors import MissingExtraError, ModelError
from innermost.graphs.encoder_weights import encoder_weights
from innermost.model_folder.contents import ENCODER, WEIGHTS
from innermost.model_folder.graph_check import LARGEST_FILE, check_graph
from innermost.model_folder.manifest import read_file
from innermost.model_folder.weights import read_weights
from innermost.parts.contract import Restorable
from innermost.parts.registry import export_half
from innermost.parts.settings import EncoderConfig


def model_weights(folder: Path, encoder: EncoderConfig) -> dict[str, Floats]:
    """The weights from training; from a quantized model, their rounded values."""
    if (folder / WEIGHTS).exists():
        return dict(read_weights(folder / WEIGHTS))
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise MissingExtraError("Starting from an exported model", "train") from None
    graph = read_file(folder / ENCODER, LARGEST_FILE)
    check_graph(graph, folder / ENCODER)
    weights = encoder_weights(graph)
    for name, settings in encoder.parts.items():
        half = export_half(name)
        if not isinstance(half, Restorable):
            raise ModelError(
                f"{folder} has no {WEIGHTS}, and the weights of its {name} cannot be restored",
                hint="start from the folder that `innermost train` wrote",
            )
        own = half.exported_weights(folder, settings)
        weights |= {f"{name}.{key}": values for key, values in own.items()}
    return weights
