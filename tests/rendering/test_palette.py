"""Colors that everyone can distinguish, the same in Python and in the style sheet."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations, pairwise

import numpy as np
import pytest

from innermost.rendering.palette import COLORS, PATTERNS, look

# Machado, Oliveira and Fernandes (2009), severity 1.
BLINDNESS = {
    "none": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
STYLE = (files("innermost.rendering") / "entities.css").read_text(encoding="utf-8")


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(values: np.ndarray) -> np.ndarray:
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(values, 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a: str, b: str) -> float:
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def test_the_style_sheet_has_the_colors_of_the_palette() -> None:
    found = re.findall(
        r"\.c(\d) \{ --c: (#\w+); --edge: light-dark\((#\w+), #\w+\); "
        r"--tint: light-dark\((#\w+), #\w+\); \}",
        STYLE,
    )
    assert found == [(str(i), *color) for i, color in enumerate(COLORS)]
    assert re.findall(r"\.p(\d) \{", STYLE) == [str(i) for i in range(PATTERNS)]


@pytest.mark.parametrize("kind", BLINDNESS)
def test_colors_differ_for_every_eye(kind: str) -> None:
    seen = [lab(np.array(BLINDNESS[kind]) @ linear(color.fill)) for color in COLORS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 13


def test_forty_types_look_different_and_neighbors_have_another_pattern() -> None:
    types = [f"type{i}" for i in range(40)]
    looks = [look(label, types) for label in types]
    assert len(set(looks)) == 40
    assert all(a.pattern != b.pattern and a.color != b.color for a, b in pairwise(looks))


def test_text_is_legible_in_light_and_dark() -> None:
    dark = re.findall(
        r"--edge: light-dark\(#\w+, (#\w+)\); --tint: light-dark\(#\w+, (#\w+)\)", STYLE
    )
    for color, (dark_edge, dark_tint) in zip(COLORS, dark, strict=True):
        assert contrast("#000000", color.fill) > 5
        assert contrast("#1b1f24", color.tint) > 12
        assert contrast("#e6e9ec", dark_tint) > 11
        for background in ("#ffffff", color.tint):
            assert contrast(color.edge, background) > 4
        for background in ("#14171a", dark_tint):
            assert contrast(dark_edge, background) > 4
