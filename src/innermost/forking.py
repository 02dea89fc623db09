"""Locks and caches in a process that was forked while other threads were running.

A child has only the thread that forked. A lock held by another thread stays locked in it forever,
and what the lock guarded may be half written.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Resettable(Protocol):
    def reset_after_fork(self) -> None:
        """Replace the locks and clear what they guarded."""
        ...


_living: WeakSet[Resettable] = WeakSet()


def reset_in_children(thing: Resettable) -> None:
    """Reset ``thing`` in every process forked from this one."""
    _living.add(thing)


def _reset() -> None:
    for thing in list(_living):
        thing.reset_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
