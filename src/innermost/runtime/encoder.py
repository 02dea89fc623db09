"""The network between features and emissions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from innermost.arrays import Floats, Ints
from innermost.errors import ModelError
from innermost.model_folder.plain_files import damaged
from innermost.runtime.features import Opening
from innermost.runtime.onnx_session import Session

TAGS = 5
LARGEST_EMISSION = 1e6
"""Beyond it, sums over a sentence lose all significant digits, then overflow."""


class Encoder:
    """``features [token, sentence, feature]`` to ``emissions [sentence, type, token, 5]``."""

    def __init__(self, path: Path, features: int, types: int, opening: Opening) -> None:
        self._types, self._threads = types, opening.threads
        # A single sentence is a long chain of small steps: distributing each of them over threads
        # costs more than it saves, much more if other programs use the CPUs too.
        self._for_one = replace(opening, threads=1).session(path)
        self._for_one.check_names({"features", "lengths"}, {"emissions"}, "an encoder")
        if (width := self._for_one.size("features", 2)) != features:
            raise damaged(path, f"it reads {width} features, the other files produce {features}")
        one = np.zeros((1, 1, features), dtype=np.float32)
        feed = {"features": one, "lengths": np.ones(1, dtype=np.int32)}
        self._check(self._for_one.first_run(["emissions"], feed)[0], one)

    def __call__(self, features: Floats, lengths: Ints) -> Floats:
        session = self._for_one if len(lengths) == 1 else self._for_many
        feed = {"features": features, "lengths": lengths.astype(np.int32)}
        emissions: Floats = session.run(["emissions"], feed)[0]
        self._check(emissions, features)
        return emissions

    @cached_property
    def _for_many(self) -> Session:
        return self._for_one.with_threads(self._threads)

    def _check(self, emissions: Floats, features: Floats) -> None:
        path = self._for_one.path
        tokens, sentences, _ = features.shape
        shape = (sentences, self._types, tokens, TAGS)
        if emissions.shape != shape or emissions.dtype != np.float32:
            raise damaged(path, f"emissions have the shape {emissions.shape}, expected {shape}")
        # A comparison with NaN is false.
        if not np.abs(emissions).max() <= LARGEST_EMISSION:
            raise ModelError(
                f"{path} computes numbers that are infinite, larger than {LARGEST_EMISSION:g}, "
                "or not numbers",
                hint="its weights are damaged, or training diverged; "
                "download the model again, or train with a lower learning rate",
            )
