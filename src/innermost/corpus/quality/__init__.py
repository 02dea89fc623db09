"""Inspect data before training on it: checks, statistics, fingerprints."""
