"""The files of a model folder.

model.toml            what the model is
README.md             its card
encoder.onnx          features to emissions
SHA256SUMS            the checksum of every file
weights.safetensors   the same weights for torch; only in folders that training wrote

and the files of its parts: ``parts/*/files.py`` lists them.
"""

from __future__ import annotations

ENCODER, WEIGHTS, CARD = "encoder.onnx", "weights.safetensors", "README.md"
