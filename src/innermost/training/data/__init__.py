"""What a model learns from: splits, batches, warnings."""
