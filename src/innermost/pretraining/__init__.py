"""Word vectors, character language models and sub-word encoders, from plain text."""
