"""Count what a function does, because a clock would depend on the machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_calls(function: Callable[[], Any]) -> int:
    """The number of calls, of Python and C functions, until ``function`` returns."""
    calls = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


def count_lines(function: Callable[[], Any]) -> int:
    """How many lines of Python run until ``function`` returns; a loop counts every round."""
    lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines
