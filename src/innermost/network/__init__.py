"""The tagger in torch: embedders side by side, a BiLSTM, one linear layer."""
