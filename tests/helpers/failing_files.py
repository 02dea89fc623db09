"""A file layer whose n-th operation fails, for tests that let every one fail in turn."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from innermost.files import atomic


class FailingFiles:
    """Counts writes, syncs and renames; number ``failing`` fails as on a full disk."""

    def __init__(self, failing: int | None = None) -> None:
        self.operations = 0
        self.failing = failing

    def _counted(self, operation: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            self.operations += 1
            if self.operations == self.failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return operation(*arguments, **options)

        return counted

    @contextmanager
    def installed(self) -> Iterator[FailingFiles]:
        counted = self._counted

        class File(atomic._File):
            def write(self, data: object, /) -> int:
                with atomic.errors_of_writing(self.target):
                    written: int = counted(io.FileIO.write)(self, data)
                    return written

        with (
            patch.object(atomic, "_File", File),
            patch.object(os, "fsync", counted(os.fsync)),
            patch.object(Path, "replace", counted(Path.replace)),
            patch.object(Path, "write_bytes", counted(Path.write_bytes)),
        ):
            yield self
