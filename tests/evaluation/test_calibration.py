"""Reliability, ECE, Brier and thresholds against their definitions, written out."""

from __future__ import annotations

from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from innermost.evaluation.calibration import Calibration, Threshold
from innermost.evaluation.counts import Counts
from innermost.nest import Span

judged = st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.95, 1.0]), st.booleans()))


def calibration_of(pairs: list[tuple[float, bool]], missed: int = 0) -> Calibration:
    """One sentence per prediction, and ``missed`` gold entities that no prediction finds."""
    result = Calibration()
    for score, right in pairs:
        label = "A" if right else "B"
        result.add([Span(0, 1, "A")], {Span(0, 1, label): score})
    result.add([Span(i, i + 1, "A") for i in range(missed)], {})
    return result


def test_known_answers() -> None:
    calibration = calibration_of([(0.95, True), (0.95, True), (0.95, False), (0.25, False)])
    bins = [b for b in calibration.reliability() if b.count]
    assert [(b.low, b.count) for b in bins] == [(0.2, 1), (0.9, 3)]
    assert bins[1].accuracy == pytest.approx(2 / 3)
    assert calibration.expected_error() == pytest.approx((0.25 + 3 * (0.95 - 2 / 3)) / 4)
    assert calibration.brier() == pytest.approx((2 * 0.05**2 + 0.95**2 + 0.25**2) / 4)


def test_scores_of_0_and_1_that_are_never_wrong_are_perfect() -> None:
    calibration = calibration_of([(1.0, True), (0.0, False)])
    assert calibration.expected_error() == 0.0
    assert calibration.brier() == 0.0


@given(judged, st.integers(0, 3))
def test_thresholds_are_the_counts_of_what_is_kept(
    pairs: list[tuple[float, bool]], missed: int
) -> None:
    table = calibration_of(pairs, missed).thresholds()
    assert [t.score for t in table] == sorted({score for score, _ in pairs}, reverse=True)
    for threshold in table:
        kept = [right for score, right in pairs if score >= threshold.score]
        counts = Counts(len(pairs) + missed, len(kept), sum(kept))
        expected = Threshold(threshold.score, counts.precision, counts.recall, counts.f1)
        assert astuple(threshold) == pytest.approx(astuple(expected))


@given(judged)
def test_the_bins_hold_every_prediction_once(pairs: list[tuple[float, bool]]) -> None:
    calibration = calibration_of(pairs)
    bins = calibration.reliability()
    assert sum(b.count for b in bins) == len(pairs)
    assert sum(b.count * b.accuracy for b in bins) == pytest.approx(sum(r for _, r in pairs))


def test_the_best_threshold_has_the_highest_f1() -> None:
    calibration = calibration_of([(0.9, True), (0.8, True), (0.3, False), (0.2, False)])
    best = calibration.best_threshold()
    assert best is not None
    assert best.score == 0.8
    assert Calibration().best_threshold() is None


def test_predictions_without_scores_cannot_be_calibrated() -> None:
    calibration = calibration_of([(0.9, True)])
    assert calibration
    calibration.add([], {Span(0, 1, "A"): None})
    assert calibration.unscored == 1
    assert not calibration
    assert not Calibration()


def test_a_thinned_curve_keeps_its_ends() -> None:
    calibration = calibration_of([(i / 1000, i % 3 == 0) for i in range(1000)])
    curve = calibration.thresholds()
    few = calibration.thresholds(50)
    assert len(few) == 50
    assert (few[0], few[-1]) == (curve[0], curve[-1])
    assert set(few) < set(curve)
    assert calibration.thresholds(1000) == curve
