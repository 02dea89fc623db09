"""What identifies a run: the settings that change its result, and a hash of all that does."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from innermost.training.build import Built
from innermost.training.data.inputs import Data, fingerprints, splits_of
from innermost.training.settings.config import Config

_NO_EFFECT = ("seeds", "device", "threads")


def run_settings(config: Config, data: Data) -> dict[str, Any]:
    """The settings that change the result of a run with one seed, by section."""
    settings = config.to_dict()
    training = {k: v for k, v in settings["training"].items() if k not in _NO_EFFECT}
    start = dict(settings["start"])
    if data.start is not None:
        start["fingerprint"] = data.start.fingerprint[:12]
    return {
        "training": training,
        "encoder": config.encoder.without_paths(),
        "objective": settings["objective"],
        "start": start,
        "pretrained": {
            name: source.fingerprint[:12] for name, source in data.sources.items() if source
        },
        "teachers": _teachers(config, data),
        "data": {"annotates": _annotated(data)},
    }


def run_name(config: Config, data: Data, seed: int, built: Built) -> str:
    """A hash that is equal for runs that would end with the same weights, up to rounding."""
    settings = config.to_dict()
    del settings["data"], settings["model"], settings["start"]["model"]
    for name in _NO_EFFECT:
        del settings["training"][name]
    settings["encoder"] = config.encoder.without_paths()
    settings["teachers"] = _teachers(config, data)
    if not settings["teachers"]:
        del settings["teachers"]
    pretrained = [part.fingerprint for part in built.parts.values()]
    start = None if data.start is None else data.start.fingerprint
    key = [settings, seed, fingerprints(data), _annotated(data), start, *pretrained]
    return hashlib.sha256(msgspec.json.encode(key, order="sorted")).hexdigest()[:16]


def _teachers(config: Config, data: Data) -> dict[str, Any]:
    prints = [fingerprint[:12] for fingerprint in data.teachers.fingerprints]
    return {"trust": config.teachers.trust, "fingerprints": prints} if prints else {}


def _annotated(data: Data) -> list[list[str]]:
    """The types of each file that annotates only some."""
    files = (file for split in splits_of(data).values() for file in split.coverage)
    return [sorted(file.annotates) for file in files if file.annotates is not None]
