"""The files of a model: find, read, check and write them. No torch, no ONNX Runtime."""
