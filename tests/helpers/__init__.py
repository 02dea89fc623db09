"""Shared by several tests: toy corpora, tiny models, folders with random weights."""
