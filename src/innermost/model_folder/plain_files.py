"""Read a file of a model folder: a plain file, inside the folder, of bounded size.

A folder may come from an untrusted source. A FIFO in place of a file would block forever, a link
could lead to any other file, and a file of a terabyte (or ``/dev/zero``) would fill the memory. All
of that is checked before the file is opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from innermost.errors import InnermostError, ModelError, ResourceError
from innermost.files.lock import is_locked
from innermost.model_folder.contents import ENCODER, WEIGHTS

MEGABYTE = 1 << 20


def read_plain(path: Path, limit: int) -> bytes:
    """The bytes of a file, at most ``limit`` of them."""
    size = check_file(path, limit)
    try:
        with path.open("rb") as file:
            # One more byte shows whether the file is longer than its entry says.
            data = file.read(size + 1)
    except (OSError, MemoryError) as error:
        raise unreadable(path, error) from None
    if len(data) != size:
        raise damaged(path, f"its entry says {size} bytes, but reading gives a different number")
    return data


def check_file(path: Path, limit: int | None = None) -> int:
    """The size of a file that may be read."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(status.st_mode):
        raise ModelError(f"{path} is not a plain file", hint="download or export the model again")
    check_link(path)
    if limit is not None and status.st_size > limit:
        raise damaged(path, f"it has {status.st_size:,} bytes, more than the {limit:,} allowed")
    return status.st_size


def check_link(path: Path) -> None:
    """Check that a file or folder is not a link, or links to one next to it."""
    target = Path(os.path.realpath(path))
    parent = Path(os.path.realpath(path.parent))
    if target.is_relative_to(parent) or "site-packages" in path.absolute().parts:
        return  # Some installers link every file of a package.
    for folder in (parent, *parent.parents):
        # The cache of the Hugging Face Hub: snapshots/REVISION/... are links to blobs/...
        if folder.parent.name == "snapshots":
            if target.is_relative_to(folder.parent.parent / "blobs"):
                return
            break
    raise ModelError(
        f"{path} is a link that leads out of its folder, to {target}",
        hint="copy the file to where the link is, if you trust it",
    )


def damaged(path: Path, error: object) -> ModelError:
    if isinstance(error, FileNotFoundError):
        return _incomplete(path)
    return ModelError(f"{path} is damaged: {error}", hint="download or export the model again")


def _incomplete(missing: Path) -> ModelError:
    folder = missing.parent
    if (folder / WEIGHTS).exists() and not (folder / ENCODER).exists():
        run = folder.parent if folder.name == "model" else folder
        hint = (
            f"or run `innermost export {folder} OUT` for the best epoch so far "
            f"({folder} has trained weights, but no {missing.name})"
        )
        if is_locked(run):
            return ModelError(
                f"the training in {run} has not finished: wait for its end", hint=hint
            )
        return ModelError(
            f"the training in {run} was interrupted: resume it with the same command and --resume",
            hint=hint,
        )
    return ModelError(
        f"{folder} is not complete: it has no {missing.name}",
        hint="`innermost export` turns a trained model into a usable folder",
    )


def unreadable(path: Path, error: Exception) -> InnermostError:
    """The error for a file that could not be read for reasons other than its content."""
    if isinstance(error, MemoryError):
        return ResourceError(f"not enough memory to read {path}")
    if isinstance(error, FileNotFoundError):
        return damaged(path, error)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return ModelError(f"{path} cannot be read: {reason}")
