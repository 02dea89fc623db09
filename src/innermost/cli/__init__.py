"""The command line: one file per command; the work is done in the library."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, NoReturn

from innermost.errors import InnermostError, LostConnectionError


def main() -> None:
    """Run the command line; user errors become a message and an exit code, not a traceback."""
    from innermost.cli.app import app
    from innermost.cli.shared.warnings_as_notes import warnings_as_notes
    from innermost.cli.streams import leave, prepare_streams
    from innermost.files.termination import clean_termination

    prepare_streams()
    try:
        with clean_termination(), warnings_as_notes():
            code = app(standalone_mode=False, prog_name="innermost")
    except LostConnectionError as error:
        _print_error(str(error))
        leave(error.exit_code)  # threads of the connection can abort the end of the interpreter
    except InnermostError as error:
        _fail(str(error), error.exit_code)
    except MemoryError as error:
        _fail(f"not enough memory\n  {error or 'use shorter texts or smaller batches'}", 1)
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except OSError as error:  # a disk that is full or gone, a folder without permission
        _fail(_system(error), 1)
    except Exception as error:
        # Typer may bundle its own copy of click, so its errors are recognized by their attributes.
        if not hasattr(error, "format_message"):
            raise
        _fail(_usage(error), 2)
    raise SystemExit(code if isinstance(code, int) else 0)


def _system(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    if not where and error.errno == errno.ENOSPC:
        where = "the output cannot be written: "
    return f"{where}{error.strerror or error}\n  `--verbose` shows where it happened"


def _usage(error: Exception) -> str:
    """A usage error of click in the form of our other errors."""
    message = error.format_message().rstrip(".")  # type: ignore[attr-defined]
    message = message.replace("Value error, ", "")  # of a choice that does not exist
    context = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    if option is not None and context is not None and context.parent is None:
        return _misplaced(option)
    command = context.command_path if context and context.parent else _command()
    hint = f"`{command} --help` lists the options"
    if message.startswith("Got unexpected extra argument") and _has_option(context, "--model"):
        hint = f"a model is named with an option: `{command} --model NAME`; {hint}"
    elif message.startswith("Got unexpected extra argument") and _has_option(context, "--train"):
        hint = f"each file is named with an option: `{command} --train FILE --train FILE`; {hint}"
    return f"{message[:1].lower()}{message[1:]}\n  {hint}"


def _has_option(context: Any, name: str) -> bool:
    return any(name in parameter.opts for parameter in context.command.params)


def _command() -> str:
    """The command that was called, for errors that do not know it."""
    from typer.main import get_command

    from innermost.cli.app import app

    command: Any = get_command(app)
    path = ["innermost"]
    for word in sys.argv[1:]:
        if not hasattr(command, "get_command"):  # only groups have it
            break
        if (command := command.get_command(None, word)) is not None:
            path.append(word)
    return " ".join(path)


def _misplaced(option: str) -> str:
    """The error for an option before the command; most of them would be right after it."""
    from innermost.cli.app import COMMANDS

    command = next((word for word in sys.argv[1:] if word in COMMANDS), "COMMAND")
    return (
        f"no such option before the command: {option}\n"
        f"  options follow the command: `innermost {command} ... {option}`; "
        f"`innermost {command} --help` lists them"
    )


def _fail(message: str, code: int) -> NoReturn:
    _print_error(message)
    raise SystemExit(code) from None


def _print_error(message: str) -> None:
    from innermost.cli.shared.verbosity import is_verbose

    if is_verbose():
        import traceback

        traceback.print_exc()
    from rich.console import Console

    Console(stderr=True, highlight=False, soft_wrap=True).print("[bold red]error:[/] ", end="")
    sys.stderr.write(f"{message}\n")
