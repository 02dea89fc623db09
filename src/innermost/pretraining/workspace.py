"""The folder ``<out>.work/`` with the text and checkpoint of a pretraining run."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from innermost.errors import CheckpointError, UsageError
from innermost.files.atomic import errors_of_writing, write_atomically
from innermost.files.lock import LOCK, locked
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

    @classmethod
    @contextmanager
    def opened(cls, out: Path, run: str, *, resume: bool) -> Iterator[Workspace | None]:
        """Start or resume ``run``; None if it has finished. Other processes are kept out.

        Nothing of another run is overwritten.
        """
        workspace = cls(out)
        if out.exists() and resume:
            shutil.rmtree(workspace.folder, ignore_errors=True)
            yield None
            return
        if out.exists():
            raise UsageError(f"{out} already exists", hint="choose another --out")
        workspace.folder.mkdir(parents=True, exist_ok=True)
        with locked(workspace.folder):
            workspace._start(run, resume=resume)
            yield workspace

    def _start(self, run: str, *, resume: bool) -> None:
        if not is_complete(self.text):
            # Nothing is lost: the text is read again from the beginning.
            self._clear()
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

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != LOCK:
                path.unlink()

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
