"""Nested named entity recognition: names inside names, at every depth, in any text."""

__version__ = "0.1.0"
