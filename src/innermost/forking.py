"""Locks and caches in a process that was forked while other threads were at work.

A child has only the thread that forked. A lock that another thread held stays locked in it for
ever, and what the lock guarded may be half written.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Resettable(Protocol):
    def reset_after_fork(self) -> None:
        """Replace locks, and forget what they guarded."""
        ...


_living: WeakSet[Resettable] = WeakSet()


def reset_in_children(thing: Resettable) -> None:
    """Have ``thing`` reset in every process that is forked from this one."""
    _living.add(thing)


def _reset() -> None:
    for thing in list(_living):
        thing.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
