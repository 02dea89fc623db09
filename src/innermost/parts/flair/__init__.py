"""Character language models (FLAIR embeddings), frozen."""
