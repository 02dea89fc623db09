"""Nested named entity recognition: names inside names, at every depth, in any text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from innermost.document import Document, Entity
    from innermost.runtime import load

__version__ = "0.1.0"
__all__ = ["Document", "Entity", "__version__", "load"]

# Imported when first used, so that `import innermost` costs next to nothing.
_HOMES = {
    "Document": "innermost.document",
    "Entity": "innermost.document",
    "load": "innermost.runtime",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
