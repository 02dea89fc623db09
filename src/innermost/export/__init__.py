"""Export torch weights to a model folder that runs without torch: graphs and quantization."""
