"""The languages of a trained model, recorded in its folder."""

from __future__ import annotations

from innermost.training.data.inputs import Data
from innermost.training.settings.config import Config
from innermost.training.settings.fitting import knows_words


def model_languages(config: Config, data: Data) -> list[str]:
    """The languages that are set, or else those of the model that training started from.

    A model that keeps its types keeps its languages. Any other is for the language of its training
    data: that of the start if it has only one, and vectors of most words.
    """
    if config.model.languages or data.start is None:
        return config.model.languages
    languages = data.start.info.languages
    if config.start.keep_types:
        return languages
    is_same = len(languages) == 1 and knows_words(data.start.folder, data.train)
    return languages if is_same else []
