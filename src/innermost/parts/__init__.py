"""The parts of an encoder: one package per part, listed in ``parts.registry``."""
