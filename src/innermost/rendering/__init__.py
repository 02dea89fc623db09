"""Documents for people to look at: in a terminal, in a notebook, as a page.

Documents import this package for their pictures; here they are only a type.
"""
