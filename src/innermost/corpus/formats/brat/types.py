"""Type names that brat accepts, and the configuration that offers them to an annotator."""

from __future__ import annotations

import re
from pathlib import Path

from innermost.files.source import Source

_VISUAL = "visual.conf"
_MARK = "# Types whose names have spaces, as innermost wrote them."


class TypeNames:
    """A name without spaces for each label, as brat requires, and the configuration."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, label: str) -> str:
        if label not in self._names:
            wanted = re.sub(r"\s", "_", label)
            taken = set(self._names.values())
            name, count = wanted, 1
            while name in taken:
                count += 1
                name = f"{wanted}_{count}"
            self._names[label] = name
        return self._names[label]

    def write(self, folder: Path) -> None:
        """Write what brat needs to offer the types, nested in any way."""
        names = sorted(self._names.values())
        sections = [
            "\n".join(["[entities]", *names]),
            "[relations]\n<OVERLAP>\tArg1:<ENTITY>, Arg2:<ENTITY>, <OVL-TYPE>:<ANY>",
            "[events]",
            "[attributes]",
        ]
        (folder / "annotation.conf").write_bytes(("\n\n".join(sections) + "\n").encode())
        renamed = {name: label for label, name in self._names.items() if name != label}
        if renamed:
            lines = [f"{name} | {label}" for name, label in sorted(renamed.items())]
            content = "\n".join([_MARK, "[labels]", *lines]) + "\n\n[drawing]\n"
            (folder / _VISUAL).write_bytes(content.encode())


def read_labels(folder: Path) -> dict[str, str]:
    """The labels of types that were renamed when the folder was written."""
    path = folder / _VISUAL
    if not path.is_file():
        return {}
    lines = Source(path).text().split("\n")
    if lines[:1] != [_MARK]:
        return {}
    pairs = (line.partition(" | ") for line in lines)
    return {name: label for name, separator, label in pairs if separator}
