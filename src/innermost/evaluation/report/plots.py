"""Plots as SVG: in the page, with colors that follow its theme, or as a file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from innermost.evaluation.assessment import Assessment
from innermost.evaluation.calibration import SHOWN_POINTS
from innermost.evaluation.counts import Counts
from innermost.evaluation.results import Results
from innermost.rendering.axes import Axes, Tick, evenly, file, label

SERIES_COLORS = 6
_AXES = Axes(360, 280)
_x, _y = _AXES.x, _AXES.y
_FIFTHS = evenly(0, 1, 5)
_RELIABILITY_TITLES = ("score", "share correct")

_FILE_STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.grid{stroke:#d0d7de}"
    ".guide{stroke:#57606a;stroke-dasharray:5 4}.dot{fill:#1f5fbf}"
    ".line{fill:none;stroke:#1f5fbf;stroke-width:2}"
)


def reliability(results: Results) -> str:
    """Mean score against the share of correct predictions; on the diagonal if calibrated."""
    return _figure(
        "Reliability",
        *_RELIABILITY_TITLES,
        _reliability_shapes(_with_scores(results)),
        "Dots are bins of predictions by score, larger with more predictions; "
        "above the dashed line the system is underconfident, below it overconfident.",
    )


def reliability_file(assessment: Assessment) -> str:
    """The same plot of one system as a standalone picture, for model cards."""
    calibration = assessment.calibration
    about = f"ECE {100 * calibration.expected_error():.2f}%, Brier score {calibration.brier():.4f}"
    drawing = _drawing(*_RELIABILITY_TITLES, _reliability_shapes([(0, assessment)]))
    heading = label(_x(0.5), 14, about)
    return file(_AXES, _FILE_STYLE, f"Reliability: {about}", drawing + heading)


def _reliability_shapes(systems: Sequence[tuple[int, Assessment]]) -> list[str]:
    shapes = [f'<path class="guide" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>']
    for index, assessment in systems:
        bins = [b for b in assessment.calibration.reliability() if b.count]
        shapes.append(_AXES.line([(b.confidence, b.accuracy) for b in bins], _series(index)))
        most = max(b.count for b in bins)
        for b in bins:
            radius = 2.5 + 5 * (b.count / most) ** 0.5
            about = f"score {b.confidence:.2f}: {b.accuracy:.2f} right, of {b.count:,}"
            shapes.append(
                f'<circle class="s{_color(index)} dot" cx="{_x(b.confidence)}" '
                f'cy="{_y(b.accuracy)}" r="{radius:.1f}"><title>{escape(about)}</title></circle>'
            )
    return shapes


def precision_recall(results: Results) -> str:
    """Precision against recall as the score threshold decreases."""
    shapes = []
    for index, assessment in _with_scores(results):
        points = assessment.calibration.thresholds(SHOWN_POINTS)
        shapes.append(_AXES.line([(t.recall, t.precision) for t in points], _series(index)))
    return _figure(
        "Precision and recall by score threshold",
        "recall",
        "precision",
        shapes,
        "Each point is the result of keeping only predictions above some score.",
    )


def levels(results: Results, *, gold: bool) -> str:
    """Bars by level: recall by gold level, or precision by predicted level."""
    tables = [
        a.evaluation.gold_levels if gold else a.evaluation.predicted_levels
        for a in results.assessments
    ]
    depth = max((level for table in tables for level in table), default=1)
    slot = 1 / depth
    bar = min(0.8 * slot / len(tables), 0.15)
    shapes = []
    for index, table in enumerate(tables):
        for level, counts in table.items():
            left = (level - 0.5) * slot + (index - len(tables) / 2) * bar
            score = _level_score(counts, gold=gold)
            number = counts.gold + counts.predicted
            about = f"{results.assessments[index].name}, level {level}: {score:.2f} of {number:,}"
            shapes.append(
                f'<rect class="s{_color(index)} bar" x="{_x(left)}" y="{_y(score)}" '
                f'width="{_x(left + bar) - _x(left):.1f}" height="{_y(0) - _y(score):.1f}">'
                f"<title>{escape(about)}</title></rect>"
                f'<text x="{_x(left + bar / 2)}" y="{_y(score) - 4}" text-anchor="middle">'
                f"{100 * score:.0f}</text>"
            )
    ticks = [((level - 0.5) * slot, str(level)) for level in range(1, depth + 1)]
    title = "Recall by gold level" if gold else "Precision by predicted level"
    return _figure(title, "level", "recall" if gold else "precision", shapes, "", ticks)


def legend(results: Results) -> str:
    """The color of each system; empty for a single system."""
    if len(results.assessments) == 1:
        return ""
    items = "".join(
        f'<li><svg class="key" viewBox="0 0 16 10" aria-hidden="true">'
        f'<rect class="s{_color(i)} bar" width="16" height="10"/></svg> {escape(a.name)}</li>'
        for i, a in enumerate(results.assessments)
    )
    return f'<ul class="legend" aria-label="Colors of the plots">{items}</ul>'


def _level_score(counts: Counts, *, gold: bool) -> float:
    return counts.recall if gold else counts.precision


def _with_scores(results: Results) -> list[tuple[int, Assessment]]:
    return [(i, a) for i, a in enumerate(results.assessments) if a.calibration]


def _figure(
    title: str,
    x_title: str,
    y_title: str,
    shapes: Sequence[str],
    caption: str,
    x_ticks: Sequence[Tick] = _FIFTHS,
) -> str:
    drawing = _drawing(x_title, y_title, shapes, x_ticks)
    return (
        f'<figure><svg viewBox="0 0 {_AXES.width} {_AXES.height}" role="img" '
        f'aria-label="{escape(title)}">{drawing}</svg>'
        f"<figcaption><strong>{escape(title)}.</strong> {escape(caption)}</figcaption></figure>"
    )


def _drawing(
    x_title: str,
    y_title: str,
    shapes: Sequence[str],
    x_ticks: Sequence[Tick] = _FIFTHS,
) -> str:
    """The shapes with axes from 0 to 1."""
    axes = _AXES.x_ticks(x_ticks, x_title) + _AXES.y_ticks(_FIFTHS, y_title)
    return "".join([_AXES.grid(_FIFTHS), *shapes, axes])


def _series(index: int) -> str:
    """The CSS classes of a system's line."""
    return f"s{_color(index)} line"


def _color(index: int) -> int:
    return index % SERIES_COLORS
