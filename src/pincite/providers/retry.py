"""Decide when to retry, and how long to wait before.

Only RateLimited and Unavailable are retried. The wait is drawn from the whole range ("full jitter":
uniform(0, min(cap, first * 2**n)), Brooker, "Exponential Backoff And Jitter", AWS Architecture
Blog, 2015), so that many clients that failed together do not retry together.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from pincite.errors import ConfigError, RateLimited, Unavailable
from pincite.support.concurrency import left_s

T = TypeVar("T")


class RetryPolicy(msgspec.Struct, frozen=True):
    """`tries` in total, including the first. Waits start at up to `first_s` and double up to
    `cap_s`. `deadline_s` limits all tries and waits together."""

    tries: int = 3
    first_s: float = 1.0
    cap_s: float = 16.0
    deadline_s: float = 120.0

    def __post_init__(self) -> None:
        if self.tries < 1 or min(self.first_s, self.cap_s, self.deadline_s) <= 0:
            raise ConfigError("tries must be at least 1; first_s, cap_s and deadline_s positive")


class Clock(msgspec.Struct, frozen=True):
    """Time and randomness, replaceable in tests. `now` is monotonic, in seconds."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform


async def retrying(
    call: Callable[[float], Awaitable[T]],
    policy: RetryPolicy,
    clock: Clock = Clock(),
    turn: Callable[[], Awaitable[float]] | None = None,
) -> T:
    """Return the result of `call(remaining_s)`, called up to `policy.tries` times.

    Each try first waits for its `turn`, which returns the seconds that it took. They do not count
    towards the deadline, as the provider has not been asked yet.

    A provider's Retry-After is the minimum wait, with jitter on top. If the wait would pass the
    deadline, or that of a surrounding block `within`, the error is raised at once. Raises the error
    of the last try.
    """
    end = clock.now() + policy.deadline_s
    for attempt in range(1, policy.tries + 1):
        try:
            if turn is not None:
                end += await turn()
            return await call(end - clock.now())
        except (RateLimited, Unavailable) as error:
            wait_s = clock.uniform(0.0, min(policy.cap_s, policy.first_s * 2 ** (attempt - 1)))
            wait_s += error.retry_after_s or 0.0
            if attempt == policy.tries or wait_s >= min(end - clock.now(), left_s()):
                raise
            await clock.sleep(wait_s)
    raise AssertionError("unreachable: the last try returns or raises")
