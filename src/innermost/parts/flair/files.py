"""The files of the part in a model folder, one folder per language model.

flair/N/forward.onnx        characters to states, or backward.onnx
flair/N/chars.json          the characters; the index of a character is its number
flair/N/model.safetensors   the weights for torch; only in folders written by training
"""

from __future__ import annotations

import re
from pathlib import Path

from innermost.errors import ModelError
from innermost.model_folder.plain_files import check_link

FOLDER, WEIGHTS, CHARACTERS = "flair", "model.safetensors", "chars.json"
_NUMBER = re.compile("[0-9]{1,4}")


def numbered_folders(folder: Path) -> list[Path]:
    """The folders of the language models of a model, in the order of their vectors."""
    numbered = [path for path in (folder / FOLDER).glob("*") if _NUMBER.fullmatch(path.name)]
    if not numbered:
        raise ModelError(f"{folder / FOLDER} is missing or empty", hint="copy the model again")
    for path in (folder / FOLDER, *numbered):
        check_link(path)
    return sorted(numbered, key=lambda path: int(path.name))
