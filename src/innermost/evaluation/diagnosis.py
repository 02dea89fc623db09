"""Whether an installation is sound: its versions, its CPU, and the models that it has."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from innermost import __version__
from innermost.document import Document
from innermost.errors import InnermostError
from innermost.model_folder.card import read_card
from innermost.model_folder.installed import OURS, InstalledModel, installed_models
from innermost.model_folder.manifest import verify
from innermost.runtime.model import Model

CORE = ("numpy", "onnxruntime", "msgspec", "rich", "typer")
EXTRAS = {
    "train": "torch",
    "formats": "zstandard",
    "subwords": "tokenizers",
    "transformers": "transformers",
    "serve": "starlette",
    "flair": "flair",
    "spacy": "spacy",
    "datasets": "datasets",
    "frames": "pyarrow",
    "hub": "huggingface_hub",
    "sklearn": "sklearn",
    "spark": "pyspark",
    "ray": "ray",
}
"""Each extra, and the package that shows whether it is installed."""
_DISTRIBUTIONS = {"sklearn": "scikit-learn"}
FEATURES = ("avx", "avx2", "avx512f", "avx_vnni", "avx512_vnni", "amx_int8", "asimddp")
"""What makes int8 models faster. Their answers do not depend on it."""
_CPUS = Path("/proc/cpuinfo")
_FLAGS = re.compile(r"^(?:flags|Features)\s*:(.*)$", re.MULTILINE)
_CARD_SPEED = re.compile(r"([\d,]+) from raw text")
_TOLERANCE = 0.005
"""Of scores: other versions of ONNX Runtime may round otherwise."""
_SECONDS, _REPEATS = 0.5, 64

Answer = tuple[str, str, float]
KNOWN: dict[str, tuple[str, list[Answer]]] = {
    "english": (
        "The University of Oxford opened a library in Ghent on Monday.",
        [
            ("The University of Oxford", "organization", 0.980),
            ("Oxford", "place", 0.962),
            ("Ghent", "place", 0.946),
            ("Monday", "time", 0.993),
        ],
    ),
    "genia": (
        "The human IL-2 gene promoter is active in T cells.",
        [
            ("human IL-2 gene promoter", "DNA", 0.803),
            ("IL-2", "protein", 0.644),
            ("T cells", "cell_type", 0.960),
        ],
    ),
    "litbank": (
        "The sister of the mayor of Ghent left the old house.",
        [
            ("The sister of the mayor of Ghent", "PER", 0.731),
            ("the mayor of Ghent", "PER", 0.681),
            ("Ghent", "GPE", 0.945),
            ("the old house", "FAC", 0.918),
        ],
    ),
    "multilingual": (
        "Die Universität Leipzig und die Deutsche Bahn AG unterzeichneten in Berlin einen Vertrag.",
        [
            ("Universität Leipzig", "organization", 0.986),
            ("Deutsche Bahn AG", "organization", 0.967),
            ("Berlin", "place", 0.955),
        ],
    ),
}
"""What the models that come with the package answer, on every machine."""


@dataclass(frozen=True, slots=True)
class ModelHealth:
    name: str
    package: str
    problem: str | None
    known_answers: bool | None = None
    """Whether it gave them; None: there are none for this model."""
    tokens_per_second: float | None = None
    """From raw text, in batches."""
    tokens_per_second_on_card: float | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    innermost: str
    python: str
    platform: str
    cpus: int
    cpu_features: list[str] | None
    """None: the system does not say."""
    packages: dict[str, str | None]
    extras: dict[str, str | None]
    """The version of each; None: not installed."""
    models: list[ModelHealth]

    @property
    def problems(self) -> list[str]:
        """What keeps the installation from working."""
        missing = [f"{name} is not installed" for name, v in self.packages.items() if v is None]
        broken = [f"{model.name}: {model.problem}" for model in self.models if model.problem]
        return missing + broken + ([] if self.models else ["no model is installed"])

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"problems": self.problems}


def diagnose() -> Diagnosis:
    """Look at everything; takes about a second per model."""
    return Diagnosis(
        innermost=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        cpus=os.cpu_count() or 1,
        cpu_features=cpu_features(),
        packages={name: _version(name) for name in CORE},
        extras={extra: _version(package) for extra, package in EXTRAS.items()},
        models=[examine(model) for model in installed_models()],
    )


def examine(model: InstalledModel) -> ModelHealth:
    """Compare the files with their checksums, and the answers with the known ones."""
    try:
        verify(model.folder)
        nlp = Model(model.folder)
        known = KNOWN.get(model.name) if model.package == OURS else None
        text = known[0] if known else "The mayor of Ghent spoke."
        problem = _difference(nlp(text), known[1]) if known else None
        speed = _speed(nlp, text)
    except InnermostError as error:
        return ModelHealth(model.name, model.package, error.message)
    return ModelHealth(
        name=model.name,
        package=model.package,
        problem=problem,
        known_answers=None if known is None else problem is None,
        tokens_per_second=speed,
        tokens_per_second_on_card=_speed_on_card(read_card(model.folder)),
    )


def cpu_features() -> list[str] | None:
    """Those of :data:`FEATURES` that the CPU has, as Linux reports them."""
    try:
        flags = _FLAGS.search(_CPUS.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return [name for name in FEATURES if name in flags[1].split()] if flags else None


def _difference(document: Document, expected: list[Answer]) -> str | None:
    answers = [(entity.text, entity.label) for entity in document.entities]
    if answers != [(text, label) for text, label, _ in expected]:
        return f"it finds {answers} in {document.text!r}, which is not its known answer"
    for entity, (*_, score) in zip(document.entities, expected, strict=True):
        if abs(entity.score - score) > _TOLERANCE:
            return f"the score of {entity.text!r} is {entity.score:.3f}, not {score:.3f}"
    return None


def _speed(nlp: Model, text: str) -> float:
    """The best of several rounds."""
    texts = [text] * _REPEATS
    tokens = _REPEATS * len(nlp(text).tokens)
    best, end = float("inf"), time.perf_counter() + _SECONDS
    while True:
        begun = time.perf_counter()
        nlp(texts)
        now = time.perf_counter()
        best = min(best, now - begun)
        if now > end:
            return tokens / best


def _speed_on_card(card: str) -> float | None:
    match = _CARD_SPEED.search(card)
    return float(match[1].replace(",", "")) if match else None


def _version(package: str) -> str | None:
    if package not in sys.modules and find_spec(package) is None:
        return None
    try:
        return version(_DISTRIBUTIONS.get(package, package))
    except PackageNotFoundError:
        return "unknown version"
