"""What an encoder is made of: one package per part, listed in ``parts.registry``."""
