"""Names of outputs that must differ."""

from __future__ import annotations


class UniqueNames:
    """Gives every name out once; a name that was given out gets a number."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str, otherwise: str | None = None) -> str:
        """``name``, or if it is taken ``otherwise``, or if that is taken too, with a number."""
        new, number = name, 1
        if name in self._taken and otherwise is not None:
            name = new = otherwise
        while new in self._taken:
            number += 1
            new = f"{name}-{number}"
        self._taken.add(new)
        return new
