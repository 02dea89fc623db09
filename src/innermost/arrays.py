"""Names for the NumPy arrays that the package passes around."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Weights = Mapping[str, Floats]
"""The weights of a network, named and laid out as in torch."""

EPSILON = 1e-5
"""Added to variances, as torch does."""


def normalize(vectors: Floats) -> Floats:
    """Each vector with mean 0 and variance 1."""
    centered = vectors - vectors.mean(axis=-1, keepdims=True)
    result: Floats = centered / np.sqrt(np.square(centered).mean(axis=-1, keepdims=True) + EPSILON)
    return result
