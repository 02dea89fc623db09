"""ONNX graphs, written node by node, and their quantization. Needs the package ``onnx``."""
