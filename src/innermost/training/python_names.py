"""Messages about training name options of the command line; from Python, they name parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from innermost.errors import InnermostError
from innermost.training.settings.config import load_settings

_OPTION = re.compile(
    r"--set (?P<setting>[\w.]+=[^\s,;)]+)"
    r"|--start-from (?P<model>[\w./-]+)"
    r"|--(?P<name>dev|folds) (?P<value>[\d.]*\d|FILE)"
    r"|--(?P<flag>keep-types|resume)\b"
    r"|--(?P<other>train|dev|test|out|folds|start-from|annotates|teacher|config|set)\b"
)
_RENAMED = {"set": "settings", "teacher": "teachers"}


def in_python(message: str) -> str:
    """``--folds 5`` as ``folds=5``, and so on."""
    return _OPTION.sub(_parameter, message)


@contextmanager
def errors_in_python() -> Iterator[None]:
    """Errors name parameters."""
    try:
        yield
    except InnermostError as error:
        error.message = in_python(error.message)
        error.hint = error.hint and in_python(error.hint)
        error.args = (error.message,)
        raise


def _parameter(option: re.Match[str]) -> str:
    match option.lastgroup:
        case "setting":
            return f"settings={load_settings(None, [option['setting']])}"
        case "model":
            return f'start_from="{option["model"]}"'
        case "value":
            return f"{option['name']}={option['value']}"
        case "flag":
            return f"{option['flag'].replace('-', '_')}=True"
    name = option["other"].replace("-", "_")
    return f"`{_RENAMED.get(name, name)}`"
