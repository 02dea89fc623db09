"""The course of a run as a picture: loss and development F1 by epoch, one SVG file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from innermost.files.atomic import write_atomically

WIDTH, HEIGHT, MARGIN = 640, 320, 48
LOSS, F1 = "#b45309", "#1d4ed8"


def draw(lines: Sequence[dict[str, Any]], path: Path) -> None:
    losses = [float(line["loss"]) for line in lines]
    scores = [100 * float(line["dev"]["f1"]) for line in lines]
    best = max(range(len(scores)), key=scores.__getitem__)
    x = _scale(1, max(len(lines), 2), MARGIN, WIDTH - MARGIN)
    y_loss = _scale(0, max(losses) or 1, HEIGHT - MARGIN, MARGIN)
    y_score = _scale(0, 100, HEIGHT - MARGIN, MARGIN)
    marks = [
        _text(MARGIN, 24, f"loss {losses[-1]:.2f}", LOSS),
        _text(WIDTH - MARGIN, 24, f"dev F1 best {scores[best]:.2f} at epoch {best + 1}", F1, "end"),
        _text(WIDTH / 2, HEIGHT - 10, f"{len(lines)} epochs", "#555", "middle"),
    ]
    for share in (0, 25, 50, 75, 100):
        height = y_score(share)
        marks.append(
            f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{height:.1f}" y2="{height:.1f}" '
            'stroke="#ddd"/>'
        )
        marks.append(_text(WIDTH - MARGIN + 6, height + 4, str(share), F1))
        marks.append(_text(MARGIN - 6, height + 4, f"{max(losses) * share / 100:.0f}", LOSS, "end"))
    for values, scale, colour in ((losses, y_loss, LOSS), (scores, y_score, F1)):
        points = " ".join(f"{x(i + 1):.1f},{scale(v):.1f}" for i, v in enumerate(values))
        marks.append(f'<polyline points="{points}" fill="none" stroke="{colour}"/>')
    centre = f'cx="{x(best + 1):.1f}" cy="{y_score(scores[best]):.1f}"'
    marks.append(f'<circle {centre} r="4" fill="{F1}"/>')
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Loss and development F1 by epoch" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(marks)}</svg>\n'
    )
    write_atomically(path, svg.encode())


def _scale(low: float, high: float, start: float, end: float) -> Any:
    return lambda value: start + (value - low) / (high - low) * (end - start)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'
