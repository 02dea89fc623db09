"""Evaluation: scores, their confidence intervals, calibration and error analysis."""

from innermost.evaluation.counts import Counts, Evaluation

__all__ = ["Counts", "Evaluation"]
