"""Pretrained transformers from a folder or by name, through the ``transformers`` library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from innermost.errors import ConfigError, MissingExtraError
from innermost.files.atomic import write_atomically
from innermost.parts.transformer.files import TOKENIZER
from innermost.parts.transformer.subwords import Subwords, tokenizer_description

MAX_WINDOW = 512
"""Sub-words in a window, if the model supports that many. Attention is quadratic in it."""


@dataclass(frozen=True, slots=True)
class Pretrained:
    """A transformer with its tokenizer."""

    encoder: nn.Module
    tokenizer: str
    """The JSON that :class:`Subwords` reads."""
    subwords: Subwords

    @property
    def fingerprint(self) -> str:
        """A hash of the weights and the tokenizer."""
        hashed = hashlib.sha256(self.tokenizer.encode("utf-8", "surrogatepass"))
        for name, weight in sorted(self.encoder.state_dict().items()):
            hashed.update(name.encode())
            hashed.update(weight.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
        return hashed.hexdigest()[:16]


def load_pretrained(model: str, *, weights: bool = True) -> Pretrained:
    """Load a transformer; with ``weights=False`` only the architecture, without its weights."""
    try:
        from transformers import AutoConfig, AutoModel
    except ImportError as error:
        raise MissingExtraError("A transformer", "transformers", error.name) from None
    with _quietly():
        try:
            if weights:
                # Missing weights would be random; only the unused pooler may lack them.
                encoder, info = AutoModel.from_pretrained(
                    model, dtype=torch.float32, output_loading_info=True
                )
                missing = [n for n in info["missing_keys"] if not n.startswith("pooler.")]
            else:
                encoder, missing = AutoModel.from_config(AutoConfig.from_pretrained(model)), []
            source = _tokenizer_of(model)
        except (OSError, ValueError, KeyError, ImportError) as error:
            raise ConfigError(
                f"no transformer could be loaded from {model!r}: {_first_line(error)}",
                hint="use a folder with config.json, model.safetensors and tokenizer.json",
            ) from None
    if missing:
        raise ConfigError(f"{model!r} has no weights for {missing[0]} and {len(missing) - 1} more")
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None
    pad = encoder.config.pad_token_id or 0
    tokenizer = tokenizer_description(source, window=_window(encoder), pad=pad)
    return Pretrained(encoder, tokenizer, Subwords(tokenizer))


def save_pretrained(pretrained: Pretrained, folder: Path, *, weights: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / TOKENIZER, pretrained.tokenizer.encode())
    encoder: Any = pretrained.encoder
    with _quietly():
        (encoder if weights else encoder.config).save_pretrained(folder)


def _tokenizer_of(model: str) -> str:
    path = Path(model) / TOKENIZER
    if path.is_file():
        return path.read_text(encoding="utf-8")
    from transformers import AutoTokenizer

    return str(AutoTokenizer.from_pretrained(model).backend_tokenizer.to_str())


def _window(encoder: nn.Module) -> int:
    """The number of positions of the model, special tokens included."""
    config: Any = encoder.config
    known = int(getattr(config, "max_position_embeddings", 0) or MAX_WINDOW)
    for name, module in encoder.named_modules():
        # Some models count positions from the number of the padding token.
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
            first = 0 if module.padding_idx is None else module.padding_idx + 1
            known = module.num_embeddings - first
    return min(known, MAX_WINDOW)


@contextmanager
def _quietly() -> Iterator[None]:
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
