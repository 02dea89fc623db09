"""The settings of a training: their structure, presets, defaults from the data, error messages."""
