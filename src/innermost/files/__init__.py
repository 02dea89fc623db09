"""Files: sources, compression, atomic writes. All files are opened here."""
