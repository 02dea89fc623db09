"""The inputs of predictions, as records: a text or sentences, and their keys."""

from innermost.prediction.inputs.detection import TEXT
from innermost.prediction.inputs.paths import expand_paths
from innermost.prediction.inputs.reading import (
    count_records,
    located_records,
    read_records,
    text_records,
)
from innermost.prediction.inputs.record import InputOptions, Record

__all__ = [
    "TEXT",
    "InputOptions",
    "Record",
    "count_records",
    "expand_paths",
    "located_records",
    "read_records",
    "text_records",
]
