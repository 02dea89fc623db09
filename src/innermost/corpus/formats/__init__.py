"""The corpus formats, one module or package each, listed in ``corpus.registry``."""
