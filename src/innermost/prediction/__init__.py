"""From files of texts to files of predictions: one output record per input record."""
