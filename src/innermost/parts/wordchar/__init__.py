"""Word vectors and a character CNN."""
