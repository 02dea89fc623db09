"""The HTTP service under load. See ``docs/service.md``."""
