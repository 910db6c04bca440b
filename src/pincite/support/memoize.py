"""Cache the result of a function for its last argument."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

_KEPT: Final = 4  # a filter may have several large lists, each asked of every record
A = TypeVar("A")
B = TypeVar("B")


def memoize_last(make: Callable[[A], B]) -> Callable[[A], B]:
    """Return `make` with a cache: it is called only if the argument is none of the four objects of
    its last calls. For arguments that do not change and cannot be hashed, such as a profile with
    tables, or take long to hash."""
    last: tuple[tuple[A, B], ...] = ()

    @wraps(make)
    def made(argument: A) -> B:
        nonlocal last
        before = last  # another thread may change it
        for known, value in before:
            if known is argument:
                return value
        value = make(argument)
        last = ((argument, value), *before[: _KEPT - 1])
        return value

    return made
