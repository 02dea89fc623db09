"""The results as a table in Markdown and as plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import log10

from benchmarks.small_data.results import Result, mean_f1
from benchmarks.small_data.samples import known
from benchmarks.small_data.systems import GRID_PREFIX, NAMES

from innermost.rendering.axes import Axes, evenly, file, label

COLORS = {
    "auto": "#1d4ed8",
    "start-from": "#15803d",
    "scratch": "#be185d",
    "paper": "#b45309",
    "grid": "#7c3aed",
    "spancat": "#6b7280",
}


def markdown(results: Iterable[Result]) -> str:
    """A row for each corpus and size: mean test F1, with the samples and their mean CPU seconds."""
    rows = best_of_grid(results)
    if not rows:
        return "no results\n"
    systems = [name for name in NAMES if any(row.system == name for row in rows)]
    lines = [
        f"| corpus | sentences | {' | '.join(systems)} |",
        f"|---|---|{'---|' * len(systems)}",
    ]
    for corpus, size in sorted({(row.corpus, row.size) for row in rows}):
        cells = [_cell([r for r in rows if (r.corpus, r.size, r.system) == (corpus, size, system)])
                 for system in systems]  # fmt: skip
        lines.append(f"| {corpus} | {size:,} | {' | '.join(cells)} |")
    notes = [
        f"- start-from on {corpus.name} is `{corpus.start}`"
        + (f"; {corpus.seen}" * bool(corpus.seen))
        for corpus in map(known, sorted({r.corpus for r in rows if r.system == "start-from"}))
        if corpus.start
    ]
    dates, machines = ({getattr(row, name) for row in rows} for name in ("date", "hardware"))
    origin = f"{' to '.join(sorted({min(dates), max(dates)}))}, {'; '.join(sorted(machines))}."
    return "\n".join([*lines, "", *notes, "", origin, ""])


def best_of_grid(results: Iterable[Result]) -> list[Result]:
    """Of the settings of the grid only the one with the best mean test F1, as ``grid``: an upper
    bound of what tuning by hand can reach."""
    rows: list[Result] = []
    tried: dict[tuple[str, int], dict[str, list[Result]]] = {}
    for row in results:
        if row.system.startswith(GRID_PREFIX):
            tried.setdefault((row.corpus, row.size), {}).setdefault(row.system, []).append(row)
        else:
            rows.append(row)
    for settings in tried.values():
        most = max(map(len, settings.values()))
        complete = [own for own in settings.values() if len(own) == most]
        rows += [replace(row, system="grid") for row in max(complete, key=mean_f1)]
    return rows


def _cell(rows: Sequence[Result]) -> str:
    if not rows or not any(row.score.seconds for row in rows):
        return ""
    seconds = sum(row.score.cpu_seconds for row in rows) / len(rows)
    return f"{100 * mean_f1(list(rows)):.1f} ({len(rows)}; {seconds:,.0f} s)"


def plot(results: Iterable[Result], corpus: str) -> str:
    """F1 by the number of sentences, a line for each system."""
    rows = [row for row in best_of_grid(results) if row.corpus == corpus and row.score.seconds]
    sizes = sorted({row.size for row in rows})
    low, high = log10(sizes[0]) - 0.1, log10(sizes[-1]) + 0.1
    axes = Axes(560, 320, 46, 110, 30, 48, (low, high), (0, 100))
    ticks = evenly(0, 100, 4)
    content = [axes.grid(ticks), axes.y_ticks(ticks, "test F1"), label(46, 18, corpus, "start")]
    content.append(axes.x_ticks([(log10(n), f"{n:,}") for n in sizes], "training sentences"))
    for number, system in enumerate(name for name in NAMES if name in {r.system for r in rows}):
        points = [
            (log10(size), 100 * mean_f1(cell))
            for size in sizes
            if (cell := [r for r in rows if (r.size, r.system) == (size, system)])
        ]
        style_of = f"of-{system}"  # "grid" is the class of the lines behind the plot
        content.append(axes.line(points, style_of))
        content += [
            f'<circle class="{style_of}" cx="{axes.x(x)}" cy="{axes.y(y)}" r="3"/>'
            for x, y in points
        ]
        content.append(label(460, 44 + 18 * number, system, "start", style_of))
    style = "text{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}polyline{fill:none}" + "".join(
        f"polyline.of-{name}{{stroke:{color}}}circle.of-{name},text.of-{name}{{fill:{color}}}"
        for name, color in COLORS.items()
    )
    return file(axes, style, f"Test F1 on {corpus} by the number of sentences", "".join(content))
