"""The files of the part in a model folder.

transformer.onnx   sub-words to vectors
tokenizer.json     words to sub-words
transformer/       the same for torch; only in folders written by training
"""

from __future__ import annotations

FOLDER, GRAPH, TOKENIZER = "transformer", "transformer.onnx", "tokenizer.json"
