"""Plots as SVG: within the page, in its colours so that they follow its theme, or as a file."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from innermost.evaluation.assessment import Assessment
from innermost.evaluation.calibration import SHOWN_POINTS
from innermost.evaluation.counts import Counts
from innermost.evaluation.results import Results

SERIES_COLOURS = 6
_WIDTH, _HEIGHT = 360, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 22, 44
_RELIABILITY_AXES = ("score", "share that is right")


_FILE_STYLE = (
    "text{font:12px sans-serif;fill:#57606a}.grid{stroke:#d0d7de}"
    ".guide{stroke:#57606a;stroke-dasharray:5 4}.dot{fill:#1f5fbf}"
    ".line{fill:none;stroke:#1f5fbf;stroke-width:2}"
)


def reliability(results: Results) -> str:
    """Mean score against the share that is right; on the diagonal when calibrated."""
    return _figure(
        "Reliability",
        *_RELIABILITY_AXES,
        _reliability_shapes(_with_scores(results)),
        "Dots are predictions in bins of score, larger with more of them; "
        "above the dashed line the system is too modest, below it too sure.",
    )


def reliability_file(assessment: Assessment) -> str:
    """The same plot of one system as a picture of its own, to be put beside a text."""
    calibration = assessment.calibration
    about = f"ECE {100 * calibration.expected_error():.2f}, Brier score {calibration.brier():.4f}"
    drawing = _drawing(*_RELIABILITY_AXES, _reliability_shapes([(0, assessment)]))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"><title>Reliability: {about}</title>'
        f'<style>{_FILE_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>'
        f'{drawing}<text x="{_x(0.5)}" y="14" text-anchor="middle">{about}</text></svg>\n'
    )


def _reliability_shapes(systems: Sequence[tuple[int, Assessment]]) -> list[str]:
    shapes = [f'<path class="guide" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}"/>']
    for index, assessment in systems:
        bins = [b for b in assessment.calibration.reliability() if b.count]
        shapes.append(_line([(b.confidence, b.accuracy) for b in bins], index))
        most = max(b.count for b in bins)
        for b in bins:
            radius = 2.5 + 5 * (b.count / most) ** 0.5
            about = f"score {b.confidence:.2f}: {b.accuracy:.2f} right, of {b.count:,}"
            shapes.append(
                f'<circle class="s{_colour(index)} dot" cx="{_x(b.confidence)}" '
                f'cy="{_y(b.accuracy)}" r="{radius:.1f}"><title>{escape(about)}</title></circle>'
            )
    return shapes


def precision_recall(results: Results) -> str:
    """Precision against recall as the threshold on the score goes down."""
    shapes = []
    for index, assessment in _with_scores(results):
        points = assessment.calibration.thresholds(SHOWN_POINTS)
        shapes.append(_line([(t.recall, t.precision) for t in points], index))
    return _figure(
        "Precision and recall over the score",
        "recall",
        "precision",
        shapes,
        "Each point is what keeping only predictions above some score gives.",
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
                f'<rect class="s{_colour(index)} bar" x="{_x(left)}" y="{_y(score)}" '
                f'width="{_x(left + bar) - _x(left):.1f}" height="{_y(0) - _y(score):.1f}">'
                f"<title>{escape(about)}</title></rect>"
                f'<text x="{_x(left + bar / 2)}" y="{_y(score) - 4}" text-anchor="middle">'
                f"{100 * score:.0f}</text>"
            )
    ticks = [((level - 0.5) * slot, str(level)) for level in range(1, depth + 1)]
    title = "Recall by gold level" if gold else "Precision by predicted level"
    return _figure(title, "level", "recall" if gold else "precision", shapes, "", ticks)


def legend(results: Results) -> str:
    """Which colour is which system; nothing for one system."""
    if len(results.assessments) == 1:
        return ""
    items = "".join(
        f'<li><svg class="key" viewBox="0 0 16 10" aria-hidden="true">'
        f'<rect class="s{_colour(i)} bar" width="16" height="10"/></svg> {escape(a.name)}</li>'
        for i, a in enumerate(results.assessments)
    )
    return f'<ul class="legend" aria-label="Colours of the plots">{items}</ul>'


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
    x_ticks: Sequence[tuple[float, str]] | None = None,
) -> str:
    drawing = _drawing(x_title, y_title, shapes, x_ticks)
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(title)}">'
        f"{drawing}</svg>"
        f"<figcaption><strong>{escape(title)}.</strong> {escape(caption)}</figcaption></figure>"
    )


def _drawing(
    x_title: str,
    y_title: str,
    shapes: Sequence[str],
    x_ticks: Sequence[tuple[float, str]] | None = None,
) -> str:
    """The shapes between axes that go from 0 to 1."""
    fifths = [(i / 5, f"{i / 5:g}") for i in range(6)]
    grid = [f'<path class="grid" d="M{_x(0)} {_y(v)}H{_x(1)}"/>' for v, _ in fifths]
    marks = [
        f'<text x="{_x(v)}" y="{_y(0) + 16}" text-anchor="middle">{t}</text>'
        for v, t in (x_ticks or fifths)
    ]
    marks += [
        f'<text x="{_LEFT - 6}" y="{_y(v) + 4}" text-anchor="end">{t}</text>' for v, t in fifths
    ]
    middle_x, middle_y = _x(0.5), _y(0.5)
    marks += [
        f'<text x="{middle_x}" y="{_HEIGHT - 8}" text-anchor="middle">{x_title}</text>',
        f'<text transform="translate(12 {middle_y}) rotate(-90)" text-anchor="middle">'
        f"{y_title}</text>",
    ]
    return "".join([*grid, *shapes, *marks])


def _line(points: Sequence[tuple[float, float]], index: int) -> str:
    path = " ".join(f"{_x(x)},{_y(y)}" for x, y in points)
    return f'<polyline class="s{_colour(index)} line" points="{path}"/>'


def _colour(index: int) -> int:
    return index % SERIES_COLOURS


def _x(value: float) -> float:
    return round(_LEFT + value * (_WIDTH - _LEFT - _RIGHT), 1)


def _y(value: float) -> float:
    return round(_HEIGHT - _BOTTOM - value * (_HEIGHT - _TOP - _BOTTOM), 1)
