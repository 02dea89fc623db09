"""Convert language models of the flair library to files that need neither flair nor pickle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from innermost.errors import MissingExtraError, ModelError
from innermost.parts.flair.character_lm import UNKNOWN, CharacterLM, save_character_lms


def from_flair(paths: list[str | Path], folder: str | Path) -> list[CharacterLM]:
    """Convert flair's ``.pt`` language models, one per direction, into ``folder``.

    flair itself reads the files. They are pickles, and unpickling can run arbitrary code: convert
    only files you trust, once, and use the folder from then on.
    """
    try:
        from flair.models import LanguageModel
    except ImportError as error:
        raise MissingExtraError(
            "Converting a language model of flair", "flair", error.name
        ) from None
    models = [convert(LanguageModel.load_language_model(str(path))) for path in paths]
    save_character_lms(folder, models)
    return models


def convert(model: Any) -> CharacterLM:
    """A ``flair.models.LanguageModel`` as a :class:`CharacterLM`."""
    if model.proj is not None or model.recurrent_type != "LSTM" or model.decoder is None:
        raise ModelError("only LSTM language models with a decoder and no projection are supported")
    if model.document_delimiter != "\n":
        raise ModelError(f"lines must be separated by '\\n', not {model.document_delimiter!r}")
    characters = model.dictionary.get_items()
    if characters[:1] != [UNKNOWN]:
        raise ModelError(f"the dictionary of the model does not begin with {UNKNOWN!r}")
    converted = CharacterLM(
        characters,
        "forward" if model.is_forward_lm else "backward",
        embedding=model.embedding_size,
        hidden=model.hidden_size,
        layers=model.nlayers,
        dropout=model.dropout,
    )
    converted.load_state_dict(model.state_dict())
    return converted.eval()
