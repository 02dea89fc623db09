"""The files of a model folder.

model.toml            what kind of model it is
README.md             its card
encoder.onnx          features to emissions
SHA256SUMS            the checksums of all files
weights.safetensors   the same weights for torch; only in folders written by training

and the files of its parts: ``parts/*/files.py`` lists them.
"""

from __future__ import annotations

ENCODER, WEIGHTS, CARD = "encoder.onnx", "weights.safetensors", "README.md"
