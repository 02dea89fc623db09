"""How good the predictions are, how sure we are of that, and what goes wrong."""

from innermost.evaluation.counts import Counts, Evaluation

__all__ = ["Counts", "Evaluation"]
