"""A worker process: ``python -m innermost.service.processes.worker``, started by the server.

Reads batches of jobs from standard input and writes the answers to standard output. It ends when
its input does, so no worker outlives its server, whatever ended it.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import BinaryIO

import msgspec

from innermost.errors import InnermostError, InnermostWarning
from innermost.service import logs
from innermost.service.jobs import Failed, Greeting, Job, Ready, frame, read_frame
from innermost.service.settings import ModelSource

_NICE = 5


class Assignment(msgspec.Struct):
    """The first message to a worker."""

    models: list[ModelSource]
    threads: int
    device: str


def main() -> None:
    # Ctrl-C and service managers signal the whole process group; the server decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # The server must stay responsive, however busy the models are.
    if hasattr(os, "nice"):
        os.nice(_NICE)
    # Warnings are part of the answer, and their text could quote the input.
    warnings.simplefilter("ignore", InnermostWarning)
    jobs, answers = sys.stdin.buffer, _private_stdout()
    assignment = read_frame(jobs)
    if assignment is None:
        return
    try:
        serve(msgspec.msgpack.decode(assignment, type=Assignment), jobs, answers)
    except Exception as error:  # a plain traceback could quote the text
        logs.configure("error")
        logs.exception("worker failed", error)
        raise SystemExit(1) from None


def serve(assignment: Assignment, jobs: BinaryIO, answers: BinaryIO) -> None:
    from innermost.service.prediction import Predictor

    with warnings.catch_warnings(record=True) as loading:
        warnings.simplefilter("always", InnermostWarning)
        try:
            predictor = Predictor(assignment.models, assignment.threads, assignment.device)
            predictor.warm_up()
        except InnermostError as error:
            _send(answers, Failed(str(error)))
            return
        except Exception as error:  # no text has been seen that it could quote
            _send(answers, Failed(f"the models cannot predict: {type(error).__name__}: {error}"))
            return
    notes = [str(w.message) for w in loading if issubclass(w.category, InnermostWarning)]
    _send(answers, Ready(predictor.served(), notes))
    decoder = msgspec.msgpack.Decoder(list[Job])
    while (batch := read_frame(jobs)) is not None:
        _send(answers, predictor(decoder.decode(batch)))


def _send(answers: BinaryIO, message: Greeting | object) -> None:
    answers.write(frame(message))
    answers.flush()


def _private_stdout() -> BinaryIO:
    """Reserve standard output for messages: output of libraries goes to standard error."""
    private = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(private, "wb")


if __name__ == "__main__":
    main()
