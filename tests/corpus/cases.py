"""Every way of writing a corpus: all formats of the registry, and their variants.

A new format is tested as soon as it is registered.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from innermost.corpus import Options, registry


class Case(NamedTuple):
    format: str
    file: str
    """The name of the output."""
    writing: dict[str, str]
    reading: dict[str, str]
    holds: frozenset[str]

    @property
    def id(self) -> str:
        return " ".join([self.format, *self.writing.values(), Path(self.file).suffix]).strip()


# Variants by settings of a format.
STYLES = [
    ("native", "a.jsonl", {"form": "characters"}, {"tokens"}),
    ("papers", "a.jsonl", {}, set()),
    ("papers", "a.jsonl", {"style": "dygie"}, {"id", "extra"}),
    ("papers", "a.jsonl", {"style": "w2ner"}, {"id"}),
    ("papers", "a.jsonl", {"style": "gliner"}, {"id"}),
    ("labelstudio", "a.jsonl", {"as": "predictions"}, set()),
    ("columns", "a.conll", {"scheme": "iobes"}, set()),
    ("datasets", "folder", {}, set()),
]
READING = {
    "genia": {"types": "all"},
    "labelstudio predictions": {"take": "predictions"},
    "blocks": {"ends": "exclusive"},
}


def _case(format: str, file: str, writing: dict[str, str], without: set[str]) -> Case:
    found = registry.get(format)
    reading = dict(READING.get(format, {}))
    for settings, known in ((reading, found.reading_settings), (writing, found.writing_settings)):
        # For text formats, so that the same sentences are found again.
        if "sentences" in known:
            settings["sentences"] = "lines"
    return Case(format, file, writing, reading, found.holds - without)


CASES = [
    *(
        _case(name, "folder" if registry.get(name).is_folder else f"a{suffix}", {}, set())
        for name in registry.names()
        for suffix in registry.get(name).suffixes[:1]
    ),
    *(_case(format, file, dict(writing), without) for format, file, writing, without in STYLES),
]

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def is_slow(case: Case) -> bool:
    """Whether it is written by an external library."""
    return registry.get(case.format).extra is not None


def is_installed(format: str) -> bool:
    extra = registry.get(format).extra
    return extra is None or find_spec(extra) is not None


def skip_unless_installed(format: str) -> None:
    if not is_installed(format):
        pytest.skip(f"the extra {registry.get(format).extra} is not installed")


def options(settings: dict[str, str]) -> Options:
    return Options(tokenizer="whitespace", settings=settings)
