"""innermost inside other tools: one thin file each, imported only when it is used."""
