"""Waits are drawn from the whole range, and only what may pass is tried again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from pincite.errors import (
    AuthError,
    BadResponse,
    ConfigError,
    Gone,
    Invalid,
    PinciteError,
    RateLimited,
    TooLarge,
    Unavailable,
)
from pincite.providers.retry import Clock, RetryPolicy, retrying


@dataclass
class Run:
    """A clock that only sleeping moves, and a call that fails in turn."""

    failures: list[PinciteError]
    time_s: float = 100.0
    slept: list[float] = field(default_factory=list)
    asked: list[tuple[float, float]] = field(default_factory=list)
    remaining: list[float] = field(default_factory=list)

    async def call(self, remaining_s: float) -> str:
        self.remaining.append(remaining_s)
        if self.failures:
            raise self.failures.pop(0)
        return "done"

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time_s += seconds

    def uniform(self, low: float, high: float) -> float:
        self.asked.append((low, high))
        return high / 2

    def result(self, policy: RetryPolicy = RetryPolicy()) -> str:
        clock = Clock(lambda: self.time_s, self.sleep, self.uniform)
        return asyncio.run(retrying(self.call, policy, clock))


def test_waits_are_uniform_from_nothing_to_a_doubling_bound() -> None:
    run = Run([Unavailable("x"), RateLimited("x"), Unavailable("x"), Unavailable("x")])
    assert run.result(RetryPolicy(tries=5, first_s=1, cap_s=3)) == "done"
    assert run.asked == [(0, 1), (0, 2), (0, 3), (0, 3)]
    assert run.slept == [0.5, 1, 1.5, 1.5]


def test_three_tries_are_usual_and_the_last_error_is_raised() -> None:
    run = Run([Unavailable("first"), Unavailable("second"), Unavailable("third")])
    with pytest.raises(Unavailable, match="third"):
        run.result()
    assert len(run.remaining) == 3


@pytest.mark.parametrize("kind", [AuthError, Gone, Invalid, TooLarge, BadResponse])
def test_what_would_fail_again_is_not_tried_again(kind: type[PinciteError]) -> None:
    run = Run([kind("no")])
    with pytest.raises(kind):
        run.result()
    assert len(run.remaining) == 1


def test_retry_after_is_the_least_that_is_waited() -> None:
    run = Run([RateLimited("x", retry_after_s=7)])
    assert run.result() == "done"
    assert run.slept == [7.5]


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    run = Run([RateLimited("later", retry_after_s=60)])
    with pytest.raises(RateLimited, match="later"):
        run.result(RetryPolicy(deadline_s=30))
    assert run.slept == []


def test_each_try_is_told_what_is_left() -> None:
    run = Run([Unavailable("x", retry_after_s=4)])
    run.result(RetryPolicy(deadline_s=30))
    assert run.remaining == [30, 25.5]


def test_a_policy_without_tries_is_refused() -> None:
    for values in ({"tries": 0}, {"first_s": 0.0}, {"deadline_s": -1.0}):
        with pytest.raises(ConfigError):
            RetryPolicy(**values)
