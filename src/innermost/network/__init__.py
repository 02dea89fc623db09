"""The tagger in torch: concatenated embedders, a BiLSTM, one linear layer."""
