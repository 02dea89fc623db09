"""What a run writes: checkpoints, history, scores, the model and its card."""
