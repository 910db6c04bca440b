"""Cache the result of a function for its last argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def memoize_last(make: Callable[[A], B]) -> Callable[[A], B]:
    """Return `make` with a cache: it is called only if the argument is another object than last
    time. For arguments that do not change and cannot be hashed, such as a profile with tables."""
    last: tuple[A, B] | None = None

    @wraps(make)
    def made(argument: A) -> B:
        nonlocal last
        known = last  # another thread may change it
        if known is None or known[0] is not argument:
            last = known = (argument, make(argument))
        return known[1]

    return made
