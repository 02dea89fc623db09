"""Files: sources, compression, atomic writes. The only place that opens files."""
