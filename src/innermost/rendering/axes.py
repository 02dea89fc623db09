"""The axes of plots as SVG: scales, grid, ticks, titles. Styled by the surrounding page or file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

Tick = tuple[float, str]
"""A value and its label."""


@dataclass(frozen=True, slots=True)
class Axes:
    width: float
    height: float
    left: float = 46
    right: float = 12
    top: float = 22
    bottom: float = 44
    x_range: tuple[float, float] = (0, 1)
    y_range: tuple[float, float] = (0, 1)

    def x(self, value: float) -> float:
        low, high = self.x_range
        share = (value - low) / (high - low)
        return round(self.left + share * (self.width - self.left - self.right), 1)

    def y(self, value: float) -> float:
        low, high = self.y_range
        share = (value - low) / (high - low)
        return round(self.height - self.bottom - share * (self.height - self.top - self.bottom), 1)

    def grid(self, ticks: Iterable[Tick]) -> str:
        """A horizontal line for each value on the y axis."""
        start, end = self.left, self.width - self.right
        return "".join(f'<path class="grid" d="M{start} {self.y(v)}H{end}"/>' for v, _ in ticks)

    def x_ticks(self, ticks: Iterable[Tick], title: str) -> str:
        y = self.height - self.bottom + 16
        marks = [label(self.x(v), y, t) for v, t in ticks]
        middle = (self.left + self.width - self.right) / 2
        return "".join([*marks, label(round(middle, 1), self.height - 8, title)])

    def y_ticks(self, ticks: Iterable[Tick], title: str = "", *, on_right: bool = False) -> str:
        x, anchor = (self.width - self.right + 6, "start") if on_right else (self.left - 6, "end")
        marks = "".join(label(x, self.y(v) + 4, t, anchor) for v, t in ticks)
        if not title:
            return marks
        middle = round((self.top + self.height - self.bottom) / 2, 1)
        return (
            f'{marks}<text transform="translate(12 {middle}) rotate(-90)" text-anchor="middle">'
            f"{escape(title)}</text>"
        )

    def line(self, points: Iterable[tuple[float, float]], classes: str) -> str:
        path = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        return f'<polyline class="{classes}" points="{path}"/>'


def label(x: float, y: float, text: str, anchor: str = "middle", classes: str = "") -> str:
    named = f' class="{classes}"' if classes else ""
    return f'<text{named} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def evenly(low: float, high: float, steps: int, form: str = "g") -> Sequence[Tick]:
    """Evenly spaced ticks."""
    values = [low + (high - low) * step / steps for step in range(steps + 1)]
    return [(value, format(value, form)) for value in values]


def file(axes: Axes, style: str, title: str, content: str) -> str:
    """A standalone SVG file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{axes.width}" height="{axes.height}" '
        f'viewBox="0 0 {axes.width} {axes.height}" role="img"><title>{escape(title)}</title>'
        f'<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{content}</svg>\n'
    )
