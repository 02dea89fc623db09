"""Plot a run: loss and development F1 by epoch, as one SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from innermost.files.atomic import write_atomically
from innermost.rendering.axes import Axes, evenly, file, label

_STYLE = (
    "text{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}polyline{fill:none}"
    ".loss{stroke:#b45309}.f1{stroke:#1d4ed8}text.loss{fill:#b45309;stroke:none}"
    "text.f1{fill:#1d4ed8;stroke:none}circle{fill:#1d4ed8}"
)


def draw(lines: Sequence[dict[str, Any]], path: Path) -> None:
    losses = [float(line["loss"]) for line in lines]
    scores = [100 * float(line["dev"]["f1"]) if line["dev"] else 0.0 for line in lines]
    epochs = [int(line["epoch"]) for line in lines]
    best = max(range(len(scores)), key=scores.__getitem__)
    highest = max(losses) or 1.0
    f1 = Axes(640, 320, 48, 48, 48, 48, (0, epochs[-1]), (0, 100))
    loss = Axes(640, 320, 48, 48, 48, 48, f1.x_range, (0, highest))
    score_ticks = evenly(0, 100, 4)
    content = [
        f1.grid(score_ticks),
        f'<g class="f1">{f1.y_ticks(score_ticks, on_right=True)}</g>',
        loss.y_ticks(evenly(0, highest, 4, ".3g")),
        f1.x_ticks([], f"{epochs[-1]} epochs"),
        label(48, 24, f"loss {losses[-1]:.2f}", "start", "loss"),
        label(592, 24, f"dev F1 best {scores[best]:.2f} at epoch {epochs[best]}", "end", "f1"),
        loss.line(zip(epochs, losses, strict=True), "loss"),
        f1.line(zip(epochs, scores, strict=True), "f1"),
        f'<circle cx="{f1.x(epochs[best])}" cy="{f1.y(scores[best])}" r="4"/>',
    ]
    svg = file(f1, _STYLE, "Loss and development F1 by epoch", "".join(content))
    write_atomically(path, svg.encode())
