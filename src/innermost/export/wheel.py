"""A model as an ordinary wheel: data only, so that installing and loading it runs no code.

The files of the model are in a folder of the package, and an entry point says where (see
:mod:`innermost.model_folder.installed`). The same model gives the same wheel, byte for byte.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from innermost.errors import UsageError
from innermost.evaluation.card.head import by_name, head, renamed
from innermost.export.license_expression import is_license_expression
from innermost.files.atomic import atomic_path
from innermost.model_folder.card import read_card, summary
from innermost.model_folder.contents import CARD
from innermost.model_folder.info import FILE, SINCE, ModelInfo, info_bytes, read_info
from innermost.model_folder.installed import GROUP, MODELS
from innermost.model_folder.manifest import FILE as MANIFEST
from innermost.model_folder.manifest import manifest_bytes, read_manifest, verify
from innermost.parts.settings import model_encoder

PREFIX = "innermost-model-"
"""What the names of all packages begin with: names of models alone are taken on registries."""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""Normalized like the names of packages, so that no two models are the same package."""
_VERSION = re.compile(
    r"(?:[1-9]\d*!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?(?:\+[a-z0-9.]+)?"
)
_WEIGHTS = ".safetensors"
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of all files: that of the build would make every wheel another one."""
_LONGEST_SUMMARY = 300


@dataclass(frozen=True, slots=True)
class Package:
    """What a wheel says about itself."""

    name: str
    """Of the model, for ``innermost.load``."""
    version: str
    license: str | None = None
    """An SPDX expression, such as ``CC-BY-4.0``, for a model that states none."""
    license_text: bytes | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise UsageError(
                f"{self.name!r} cannot be the name of a model in a package",
                hint="use lowercase letters and digits, joined by '-'",
            )
        if (MODELS / self.name).is_dir():
            raise UsageError(
                f"{self.name!r} is a model that comes with innermost", hint="choose another name"
            )
        if not _VERSION.fullmatch(self.version):
            raise UsageError(
                f"{self.version!r} is not a version",
                hint="numbers with dots, such as 1.0 or 1.2.0rc1 (PEP 440)",
            )
        if self.license is not None and not is_license_expression(self.license):
            raise UsageError(
                f"{self.license!r} is not a license expression",
                hint="use SPDX identifiers, such as CC-BY-4.0, or LicenseRef-NAME for other "
                f"licenses, joined by AND, OR or WITH; a model states its own in {FILE}",
            )

    @property
    def distribution(self) -> str:
        """The name to install: ``innermost-model-legal-de``."""
        return PREFIX + self.name

    @property
    def module(self) -> str:
        """The folder next to other packages."""
        return self.distribution.replace("-", "_")

    @property
    def wheel(self) -> str:
        """The name of the file."""
        return f"{self.module}-{self.version}-py3-none-any.whl"


def write_wheel(folder: Path, out: Path, package: Package, *, weights: bool = False) -> Path:
    """Write the wheel of a model folder into the folder ``out``.

    ``weights`` includes those that training continues from, which no prediction needs.
    """
    before = read_info(folder)
    package = _licensed(folder, before, package)
    info = _identified(before, package)
    extras = "[subwords]" if "transformer" in model_encoder(folder, info).parts else ""
    verify(folder, ignore=[CARD])  # people edit cards
    card = (renamed(read_card(folder), before, info) or f"{head(info, by_name(info))}\n").encode()
    changed = {CARD: card, FILE: info_bytes(info)}
    checksums = {
        name: checksum
        for name, checksum in read_manifest(folder).items()
        if weights or not name.endswith(_WEIGHTS)
    } | {name: hashlib.sha256(data).hexdigest() for name, data in changed.items()}
    metadata = f"{package.module}-{package.version}.dist-info"
    place = f"{package.module}/{package.name}"
    small = {f"{place}/{name}": data for name, data in changed.items()} | {
        f"{place}/{MANIFEST}": manifest_bytes(checksums),
        f"{metadata}/METADATA": _metadata(package, extras, info, summary(card.decode())) + card,
        f"{metadata}/WHEEL": b"Wheel-Version: 1.0\nGenerator: innermost\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n",
        f"{metadata}/entry_points.txt": f"[{GROUP}]\n{package.name} = {package.module}\n".encode(),
    }
    if package.license_text is not None:
        small[f"{metadata}/licenses/LICENSE"] = package.license_text
    files = {f"{place}/{name}": folder / name for name in checksums if name not in changed}
    path = out / package.wheel
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        _write(archive, files, small, f"{metadata}/RECORD")
    return path


def _write(
    archive: zipfile.ZipFile, files: Mapping[str, Path], small: Mapping[str, bytes], record: str
) -> None:
    """All files, and last the record of them."""
    lines: list[str] = []

    def add(name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(name, _EARLIEST)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, data)
        digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")

    for name, path in sorted(files.items()):
        add(name, path.read_bytes())
    for name, data in small.items():
        add(name, data)
    lines.append(f"{record},,\n")
    add(record, "".join(lines).encode())


def _metadata(package: Package, extras: str, info: ModelInfo, about: str) -> bytes:
    fields = {
        "Metadata-Version": "2.4",
        "Name": package.distribution,
        "Version": package.version,
        "Summary": _shortened(about),
        "Keywords": "named entity recognition,nested NER,innermost",
        "License-Expression": package.license,
        "License-File": None if package.license_text is None else "LICENSE",
        # A floor and nothing else: a model must never downgrade anything.
        "Requires-Dist": f"innermost{extras}>={SINCE[info.format]}",
        "Description-Content-Type": "text/markdown",
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    return f"{head}\n".encode()


def _shortened(summary: str) -> str:
    """As far as a registry takes it, cut after a word."""
    if len(summary) <= _LONGEST_SUMMARY:
        return summary
    start = summary[: _LONGEST_SUMMARY - 1]
    return f"{(start.rpartition(' ')[0] or start).rstrip('.,;:')}…"


def _licensed(folder: Path, info: ModelInfo, package: Package) -> Package:
    """With the license that the model states, if it does: a wheel cannot give it another one."""
    if package.license and info.license and package.license != info.license:
        raise UsageError(
            f"the model states the license {info.license}, not {package.license}",
            hint="give no license; if the model is yours, you may change `license` in "
            f"{folder / FILE} first",
        )
    return replace(package, license=info.license or package.license or None)


def _identified(info: ModelInfo, package: Package) -> ModelInfo:
    """The model calls itself what it is loaded by."""
    return msgspec.structs.replace(
        info, name=package.name, version=package.version, license=package.license or ""
    )
