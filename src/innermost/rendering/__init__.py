"""Show documents to people: in a terminal, in a notebook, as a page.

Documents import this package to draw themselves; here they are only a type.
"""
