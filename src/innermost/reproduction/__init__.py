"""Reproduce the paper's tables on any corpus, printed next to the published figures."""
