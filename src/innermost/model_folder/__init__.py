"""The files of a model: finding, reading, checking and writing them. No torch, no ONNX Runtime."""
