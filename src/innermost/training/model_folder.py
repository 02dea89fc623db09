"""Writing a trained model as a folder, and taking it up again in torch. No pickle anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from torch import nn

from innermost.encoders.config import WordCharConfig
from innermost.encoders.vectors import Vectors
from innermost.encoders.vocabulary import Vocabulary
from innermost.errors import ModelError
from innermost.runtime.model_info import FILE, ModelInfo, info_bytes, read_info
from innermost.training.build import Built, assemble
from innermost.training.checkpoint import restore_weights, weights_bytes, write_atomically
from innermost.training.config import Config

if TYPE_CHECKING:
    from innermost.training.run import Data

WEIGHTS, VOCABULARY, VECTORS = "weights.safetensors", "vocabulary.json", "vectors.npy"


def save_model(
    folder: Path,
    model: nn.Module,
    built: Built,
    config: Config,
    data: Data,
    seed: int,
    best: dict[str, Any],
) -> None:
    """Write or overwrite the model folder; the large files that never change only once."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / VECTORS).exists():
        vocabulary = built.vocabulary
        words = {
            "trained": vocabulary.trained,
            "pretrained": vocabulary.pretrained,
            "characters": vocabulary.characters,
        }
        write_atomically(folder / VOCABULARY, msgspec.json.encode(words))
        with (folder / VECTORS).open("wb") as file:
            np.save(file, built.vectors.table.astype(np.float16))
    write_atomically(folder / WEIGHTS, weights_bytes(dict(model.state_dict())))
    encoder = msgspec.to_builtins(config.encoder)
    del encoder["vectors"]
    info = ModelInfo(
        types=data.types,
        tokenizer=config.data.tokenizer,
        encoder=encoder,
        training={
            "seed": seed,
            "epoch": best["epoch"],
            "fingerprints": {"train": data.train.fingerprint, "dev": data.dev.fingerprint},
        },
        scores={"dev": best["dev"]},
    )
    write_atomically(folder / FILE, info_bytes(info))


def load_trained(folder: Path) -> tuple[Built, ModelInfo]:
    """The torch model of a folder."""
    info = read_info(folder)
    try:
        encoder = msgspec.convert(info.encoder, WordCharConfig)
        words = msgspec.json.decode((folder / VOCABULARY).read_bytes())
        vocabulary = Vocabulary(words["trained"], words["pretrained"], words["characters"])
        table = np.load(folder / VECTORS, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError, KeyError, msgspec.MsgspecError) as error:
        raise ModelError(f"{folder} is damaged: {error}") from None
    built = assemble(encoder, vocabulary, Vectors(vocabulary.pretrained, table), len(info.types))
    restore_weights(folder / WEIGHTS, built.model)
    return built, info
