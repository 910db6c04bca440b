"""A record of one search, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import msgspec

from pincite.model import Exchange
from pincite.support.fields import replace

T = TypeVar("T")
#: The service of what a reranker is asked, whoever it asks in turn.
RERANKER = "reranker"


class Step(msgspec.Struct, frozen=True):
    """The result and duration of a stage."""

    stage: str
    value: object
    duration_ms: float


class Follower(Protocol):
    """Follows a search while it runs."""

    def begun(self) -> None:
        """The first stage begins."""

    def tapped(self, stage: str, value: object) -> None:
        """A stage has ended with this result; the next one begins."""


@dataclass(slots=True)
class Trace:
    """Collects the steps of one search. `clock` counts seconds, like `time.perf_counter`. A logged
    search sets `query_id`. Without `detailed`, the daemon may run the search, and the values of the
    steps are missing."""

    clock: Callable[[], float]
    steps: list[Step] = field(default_factory=list)
    query_id: str = ""
    detailed: bool = True
    exchanges: list[Exchange] = field(default_factory=list)
    follower: Follower | None = None
    _last_s: float = field(init=False)
    _begun_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._begun_s = self._last_s = self.clock()

    def begin(self) -> None:
        """Start the clock of the first step."""
        self._begun_s = self._last_s = self.clock()
        if self.follower is not None:
            self.follower.begun()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record requests to services in `exchanges` while this block runs. Requests of tasks that
        it starts are included."""
        token = _LISTENER.set(self)
        try:
            yield
        finally:
            _LISTENER.reset(token)

    def hear(self, said: Exchange, begun_s: float) -> None:
        """Record an exchange that began at `begun_s` and ends now."""
        at_ms, took_ms = (begun_s - self._begun_s) * 1000, (self.clock() - begun_s) * 1000
        self.exchanges.append(replace(said, at_ms=round(at_ms, 3), took_ms=round(took_ms, 3)))

    def debug(self) -> dict[str, tuple[Exchange, ...]]:
        """Return the exchanges by service, in order of time."""
        found: dict[str, list[Exchange]] = {}
        for one in sorted(self.exchanges, key=lambda one: (one.service, one.at_ms)):
            found.setdefault(one.service, []).append(one)
        return {service: tuple(some) for service, some in found.items()}

    def spent_ms(self) -> float:
        """Milliseconds of all steps so far."""
        return sum(step.duration_ms for step in self.steps)

    def tap(self, stage: str, value: T) -> T:
        """Record the result of a stage and the time since the last step. Returns the result."""
        now_s = self.clock()
        self.steps.append(Step(stage, value, (now_s - self._last_s) * 1000))
        self.exchanges = [one if one.stage else replace(one, stage=stage) for one in self.exchanges]
        self._last_s = now_s
        if self.follower is not None:
            self.follower.tapped(stage, value)
        return value

    def timings_ms(self) -> dict[str, float]:
        """Return milliseconds by stage, in order. If a stage ran twice, its times are added."""
        timings: dict[str, float] = {}
        for step in self.steps:
            timings[step.stage] = timings.get(step.stage, 0.0) + step.duration_ms
        return {stage: round(value, 3) for stage, value in timings.items()}


_LISTENER: ContextVar[Trace | None] = ContextVar("listener", default=None)


class Reply(msgspec.Struct):
    """Properties of an exchange that become known while it runs. `answered` is called only if the
    exchange is recorded."""

    status: int = 0
    request_id: str = ""
    answered: Callable[[], Mapping[str, Any]] = dict
    error: str = ""


@contextmanager
def exchange(
    service: str,
    what: str,
    *,
    asked: Callable[[], Mapping[str, Any]],
    items: int = 0,
    tokens: Callable[[], int] = lambda: 0,
) -> Iterator[Reply]:
    """Record a request to a service for the search that listens. If none does, nothing is counted
    or copied. An error is recorded, too, and passes through."""
    listener, reply = _LISTENER.get(), Reply()
    if listener is None:
        yield reply
        return
    begun_s = listener.clock()
    try:
        yield reply
    except BaseException as error:
        reply.error = f"{type(error).__name__}: {error}"
        raise
    finally:
        said = Exchange(
            service=service,
            what=what,
            items=items,
            tokens=tokens(),
            status=reply.status,
            request_id=reply.request_id,
            asked=asked(),
            answered=reply.answered(),
            error=reply.error,
        )
        listener.hear(said, begun_s)
