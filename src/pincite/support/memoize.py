"""What a function made of its last argument, kept for the next time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def memoize_last(make: Callable[[A], B]) -> Callable[[A], B]:
    """`make`, called only where the argument is another object than last time. For what does not
    change and cannot be hashed: a profile has tables in it."""
    last: tuple[A, B] | None = None

    @wraps(make)
    def made(argument: A) -> B:
        nonlocal last
        known = last  # another thread may change it
        if known is None or known[0] is not argument:
            last = known = (argument, make(argument))
        return known[1]

    return made
