"""What happened in one search, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """One stage's result and how long it took."""

    stage: str
    value: object
    duration_ms: float


@dataclass(slots=True)
class Trace:
    """Collects the steps of one search. `clock` counts seconds, as `time.perf_counter` does.
    `query_id` is set by a search that is logged. Where nobody asks for the values of the steps
    (`detailed`), a search may run where they are not at hand."""

    clock: Callable[[], float]
    steps: list[Step] = field(default_factory=list)
    query_id: str = ""
    detailed: bool = True
    _last_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._last_s = self.clock()

    def begin(self) -> None:
        """The first step begins now."""
        self._last_s = self.clock()

    def spent_ms(self) -> float:
        """Milliseconds of all steps so far."""
        return sum(step.duration_ms for step in self.steps)

    def tap(self, stage: str, value: T) -> T:
        """Record the value that a stage gave and the time since the step before; return it."""
        now_s = self.clock()
        self.steps.append(Step(stage, value, (now_s - self._last_s) * 1000))
        self._last_s = now_s
        return value

    def timings_ms(self) -> dict[str, float]:
        """Milliseconds by stage, in the order of the stages; a stage that ran twice adds up."""
        timings: dict[str, float] = {}
        for step in self.steps:
            timings[step.stage] = timings.get(step.stage, 0.0) + step.duration_ms
        return {stage: round(value, 3) for stage, value in timings.items()}
