"""The folder ``<out>.work/`` with the text and checkpoint of a pretraining run."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from innermost.errors import CheckpointError, UsageError
from innermost.files.atomic import errors_of_writing, write_atomically
from innermost.files.source import Source
from innermost.pretraining.encoded_text import is_complete


class Workspace:
    """The folder of one pretraining run; removed once its result is written."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out.with_name(f"{out.name}.work")
        self.text = self.folder / "text"
        self.checkpoint = self.folder / "checkpoint.safetensors"
        self._run = self.folder / "run.txt"

    def open(self, run: str, *, resume: bool) -> bool:
        """Start or resume ``run``; return whether there is anything left to do.

        Nothing of another run is overwritten.
        """
        if self.out.exists() and resume:
            shutil.rmtree(self.folder, ignore_errors=True)
            return False
        if self.out.exists():
            raise UsageError(f"{self.out} already exists", hint="choose another --out")
        if not is_complete(self.text):
            # Nothing is lost: the text is read again from the beginning.
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        elif not resume:
            raise UsageError(
                f"{self.folder} contains an unfinished run",
                hint="add --resume to continue it, or remove it to start over",
            )
        if not self._run.exists():
            write_atomically(self._run, run.encode())
        elif self._run.read_text(encoding="utf-8") != run:
            raise CheckpointError(
                f"{self.folder} belongs to another text or other settings",
                hint="resume with the same text and settings, choose another --out, or remove it",
            )
        return True

    def publish(self, result: Path) -> None:
        """Move the result, a file or folder in the workspace, to its final path."""
        # Some libraries write files that only their owner may read.
        mode = self._run.stat().st_mode
        for path in result.rglob("*"):
            if path.is_file():
                path.chmod(mode)
        with errors_of_writing(self.out):
            result.replace(self.out)
        shutil.rmtree(self.folder)


def run_name(paths: Sequence[str | Path], settings: msgspec.Struct) -> str:
    """A hash of the settings and of the names and sizes of the files."""
    files = []
    for path in paths:
        source = Source(path)
        if source.is_standard_input or source.is_folder:
            raise UsageError(f"{path} is not a file", hint="the text is read from files")
        files.append((Path(path).name, Path(path).stat().st_size))
    key = msgspec.json.encode([type(settings).__name__, settings, files], order="sorted")
    return hashlib.sha256(key).hexdigest()[:16]
