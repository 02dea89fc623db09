from helpers.browser import browser, tab  # noqa: F401
