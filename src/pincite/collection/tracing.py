"""Telemetry of a search: one span, with a span for each stage."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from pincite.model import EvidencePack, Question
from pincite.ports.tracing import Span, Tracing, installed
from pincite.profile import Profile
from pincite.trace import Trace


class Watched:
    """A search that telemetry may record."""

    def __init__(self, tracing: Tracing | None, span: Span | None, steps: Trace) -> None:
        self._tracing = tracing
        self._span = span
        self._steps = steps

    def found(self, pack: EvidencePack, *, told: bool = False) -> None:
        """Record the result of a search. If the daemon has searched, its stages are recorded from
        the times in the pack, unless they were `told` already."""
        if self._tracing is None or self._span is None:
            return
        here = bool(self._steps.steps)
        if not here and not told:
            self._tracing.past_stages(pack.timings_ms)
        self._span.set("pincite.searched_in", "process" if here else "daemon")
        self._span.set("pincite.verdict", pack.verdict.level)
        self._span.set("pincite.results", len(pack.evidence))
        self._span.set("pincite.hits", sum(pack.plan.counts.values()))
        self._span.set("pincite.collections", len(pack.plan.collections))
        self._span.set("pincite.passes", tuple(pack.plan.passes))
        self._span.set("pincite.warnings", tuple(one.code for one in pack.warnings))
        if self._span.texts:
            self._span.set("pincite.citations", tuple(one.citation for one in pack.evidence))


_NOBODY = nullcontext(Watched(None, None, Trace(float)))


def watched_search(
    question: Question, profile: Profile, steps: Trace
) -> AbstractContextManager[Watched]:
    """Return a context with the span of a search. The stages that `steps` records get spans within
    it."""
    tracing = installed()
    return _NOBODY if tracing is None else _watched(tracing, question, profile, steps)


@contextmanager
def _watched(
    tracing: Tracing, question: Question, profile: Profile, steps: Trace
) -> Iterator[Watched]:
    attributes = {
        "pincite.task": question.mode or profile.prepare.mode,
        "pincite.mode": profile.retrieve.mode,
        "pincite.query_chars": len(question.text),
        "pincite.results_limit": profile.select.results,
    }
    with tracing.span("pincite.search", attributes, "internal") as span:
        if span.texts:
            span.set("pincite.query", question.text)
        with tracing.stages() as follower:
            steps.follower = follower
            try:
                yield Watched(tracing, span, steps)
            finally:
                steps.follower = None
