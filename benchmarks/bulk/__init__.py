"""Bulk prediction, measured.

sentences.py   input files
runs.py        the command as a user starts it: seconds, CPU seconds, memory
engines.py     one process, two jobs, Ray and Spark: the same entities?
__main__.py    python -m benchmarks.bulk jobs | engines | growth
"""
