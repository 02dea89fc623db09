"""``SHA256SUMS``: the checksums of the files of a model folder.

Most models with a flipped bit still load, and predict differently, so a damaged copy would go
unnoticed. Export writes the checksums last, and every file is compared with them when it is read.
They are in the format of ``sha256sum``, which can check them too. They show whether a folder is as
it was exported, not who exported it.

While a folder is being written, it has no checksums: a crash leaves a folder without them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from innermost.errors import ModelError
from innermost.files.atomic import write_atomically
from innermost.model_folder.plain_files import MEGABYTE, check_file, damaged, read_plain, unreadable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

FILE = "SHA256SUMS"
SHORT = 12
"""The digits of a checksum that identify a model to people."""
_ROOT = "model.toml"
"""A file that every model folder has."""
_SUFFIXES = frozenset((".toml", ".json", ".npy", ".onnx", ".safetensors", ".md", ".svg", ".txt"))
_ABOUT = (".md", ".svg", ".safetensors")
"""Files that prediction does not read: the card, and the weights to resume training from."""
_DEEPEST = 3
"""``flair/0/forward.onnx``"""
_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\\]+)")


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file of a model folder, checked against the checksums, at most ``limit``."""
    data = read_plain(path, limit)
    check_bytes(path, data)
    return data


def check_bytes(path: Path, data: ReadableBuffer) -> None:
    """Check that these bytes were exported, if the folder has checksums."""
    checksum = _listed(path)
    if checksum is not None and hashlib.sha256(data).hexdigest() != checksum:
        raise _changed(path)


def write_manifest(folder: Path) -> None:
    """Write the checksums of the files as they are now."""
    _write(folder, {name: _checksum(folder / name) for name in _names(folder)})


def read_manifest(folder: Path) -> dict[str, str]:
    """The checksums of a folder, by the names of its files."""
    path = folder / FILE
    checksums: dict[str, str] = {}
    try:
        lines = read_plain(path, MEGABYTE).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise damaged(path, error) from None
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None or not _is_inside(match[2]) or match[2] in checksums:
            raise damaged(path, f"line {number} is not a checksum and a file name")
        checksums[match[2]] = match[1]
    return checksums


def manifest_bytes(checksums: Mapping[str, str]) -> bytes:
    lines = (f"{checksum}  {name}\n" for name, checksum in sorted(checksums.items()))
    return "".join(lines).encode("utf-8")


def remove_manifest(folder: Path) -> None:
    (folder / FILE).unlink(missing_ok=True)


def update_file(folder: Path, name: str, data: bytes) -> None:
    """Write one file and its checksum; those of the others stay as they are, right or wrong."""
    checksums = read_manifest(folder) if has_manifest(folder) else None
    remove_manifest(folder)
    write_atomically(folder / name, data)
    if checksums is not None:
        _write(folder, checksums | {name: hashlib.sha256(data).hexdigest()})


def has_manifest(folder: Path) -> bool:
    return (folder / FILE).exists()


def check_complete(folder: Path) -> None:
    """Raise an error for the first file that predictions need and that is not there."""
    for name in read_manifest(folder):
        if not name.endswith(_ABOUT):
            check_file(folder / name)


def verify(folder: Path, *, ignore: Collection[str] = ()) -> None:
    """Raise an error for the first file that is not as exported, even if loading never reads it."""
    for name, checksum in read_manifest(folder).items():
        if name not in ignore and _checksum(folder / name) != checksum:
            raise _changed(folder / name)


def folder_checksum(folder: Path) -> str:
    """One checksum of everything in a model that affects its predictions."""
    digest = hashlib.sha256()
    for name in sorted(_names(folder)):
        if not name.endswith(_ABOUT):
            digest.update(f"{_checksum(folder / name)}  {name}\n".encode())
    return digest.hexdigest()


def _listed(path: Path) -> str | None:
    """The checksum of a file; ``None`` if its folder has no checksums."""
    for folder in (path.parent, *path.parent.parents[: _DEEPEST - 1]):
        if has_manifest(folder):
            checksums = read_manifest(folder)
            name = path.relative_to(folder).as_posix()
            if name in checksums:
                return checksums[name]
            if folder == path.parent or _ROOT in checksums:
                raise damaged(folder / FILE, f"it does not list {name}")
    return None


def _is_inside(name: str) -> bool:
    return not name.startswith("/") and ":" not in name and ".." not in name.split("/")


def _names(folder: Path) -> Iterator[str]:
    """The files of a model; others in its folder, such as hidden files, are ignored."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.suffix in _SUFFIXES and len(name.parts) <= _DEEPEST and not hidden:
            yield name.as_posix()


def _write(folder: Path, checksums: dict[str, str]) -> None:
    write_atomically(folder / FILE, manifest_bytes(checksums))


def _checksum(path: Path) -> str:
    check_file(path)
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(MEGABYTE):
                digest.update(block)
    except OSError as error:
        raise unreadable(path, error) from None
    return digest.hexdigest()


def _changed(path: Path) -> ModelError:
    return ModelError(
        f"{path} is damaged: it is not the file that was exported (see {FILE})",
        hint="download the model again; if you changed the file on purpose, "
        f"export the model again or remove {FILE}",
    )
