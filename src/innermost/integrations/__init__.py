"""innermost inside other tools: one small file each, imported only when used."""
