from helpers.browser import browser, only_tab, tab  # noqa: F401
