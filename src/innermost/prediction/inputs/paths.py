"""The files that are read, and what their texts are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from innermost.corpus import Source
from innermost.errors import DataError


def expand_paths(paths: Sequence[str]) -> list[str]:
    """The files of all patterns and names; a folder of texts becomes its files."""
    files: list[str] = []
    for path in paths:
        if path == "-" or not has_magic(path) or Path(path).exists():
            files.append(path)
        elif matches := sorted(glob(path, recursive=True)):  # noqa: PTH207  absolute or not
            files += matches
        else:
            raise DataError("no file matches", path=path)
    return files


def names_of(paths: Sequence[str]) -> list[str]:
    """What the texts of each file or folder are called: by its name alone if that is enough.

    The names of files are names of documents, those of folders come before the files in them.
    """
    counts = Counter(Path(path).name for path in paths)
    folders = [path for path in paths if Path(path).is_dir()]
    names = []
    for path in paths:
        is_unique = counts[Path(path).name] == 1
        if path in folders:
            names.append("" if len(folders) == 1 else f"{path.rstrip('/')}/")
        else:
            names.append(Source(path).name if is_unique else path)
    return names
