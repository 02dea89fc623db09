"""A pretrained transformer, frozen or fine-tuned."""
