"""Nested named entity recognition: names inside names, at every depth, in any text.

    import innermost

    nlp = innermost.load()                      # the default model; or a name, or a folder
    doc = nlp("She studied at the University of Oxford.")
    for entity in doc.entities:
        print(entity.text, entity.label, entity.score)

``load`` opens a :class:`Model`, which turns texts into :class:`Document` objects with their
:class:`Entity` objects. ``train`` makes a model from annotated sentences. ``innermost.errors`` has
every error to catch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from innermost import errors
    from innermost.corpus.sentence import Sentence
    from innermost.document import Document, Documents, Entity
    from innermost.nest import Span
    from innermost.rendering.frame import frame
    from innermost.runtime import load
    from innermost.runtime.model import Model
    from innermost.training.api import Training, TrainingResult, train
    from innermost.training.settings.config import DataFile

__version__ = "0.1.0"
__all__ = [
    "DataFile",
    "Document",
    "Documents",
    "Entity",
    "Model",
    "Sentence",
    "Span",
    "Training",
    "TrainingResult",
    "__version__",
    "errors",
    "frame",
    "load",
    "train",
]

# Imported when first used, so that `import innermost` costs next to nothing.
_HOMES = {
    "DataFile": "innermost.training.settings.config",
    "Document": "innermost.document",
    "Documents": "innermost.document",
    "Entity": "innermost.document",
    "Model": "innermost.runtime.model",
    "Sentence": "innermost.corpus.sentence",
    "Span": "innermost.nest",
    "Training": "innermost.training.api",
    "TrainingResult": "innermost.training.api",
    "frame": "innermost.rendering.frame",
    "load": "innermost.runtime",
    "train": "innermost.training.api",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "errors":
        return import_module("innermost.errors")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
