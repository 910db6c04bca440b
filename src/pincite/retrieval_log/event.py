"""Events: the fields of one line of the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pincite.model import (
    RANKING_SIGNALS,
    Evidence,
    EvidencePack,
    Exchange,
    Fused,
    Notice,
    Plan,
    Question,
    Scope,
    Signal,
    Verdict,
)
from pincite.model.attributes import values_of
from pincite.model.citation import place_of
from pincite.ports import CollectionInfo
from pincite.profile import Profile
from pincite.support.fields import replace
from pincite.support.memoize import memoize_last
from pincite.trace import RERANKER, Trace
from pincite.version import VERSION

#: Candidates in a line, each with id and scores.
FOUND = 200
_MOST_BOUNDS = 100  # values


@dataclass(frozen=True, slots=True)
class Asked:
    """All input of the caller. `profile` is complete, as a table of builtins."""

    text: str
    scope: Scope
    profile: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, question: Question, profile: Profile) -> Asked:
        """Return the input of a search. `options` are the fields of the question besides text and
        scope that are not None."""
        given: dict[str, Any] = {"mode": question.mode, "budget_ms": question.budget_ms}
        options = {name: value for name, value in given.items() if value is not None}
        if question.subqueries:
            options["subqueries"] = question.subqueries
        return cls(question.text, _kept(question.scope), _table(profile), options)

    @property
    def question(self) -> Question:
        """Return the question, without its secrets."""
        given = dict(self.options)
        lines = tuple(given.pop("subqueries", ()))
        return Question(self.text, self.scope, subqueries=lines, **given)


def _kept(scope: Scope) -> Scope:
    """Return the scope for a line. If there are many bounds, all are left out: a collection that
    requires one of them then refuses a repeated search, which so never sees more."""
    bounds = sum(len(values_of(value)) for value in scope.bounds.values())
    return scope if bounds <= _MOST_BOUNDS else replace(scope, bounds={})


@memoize_last
def _table(profile: Profile) -> Mapping[str, Any]:
    found: Mapping[str, Any] = msgspec.to_builtins(profile)
    return found


@dataclass(frozen=True, slots=True)
class CollectionState:
    """The models and the contents of a collection. `sources` are names and revisions (or the time
    of the last run, if there is no revision)."""

    dense: str | None
    sparse: str
    chunker: str
    documents: int
    chunks: int
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """The number of documents that were judged together, and the estimated tokens of that."""

    documents: int
    tokens: int


@dataclass(frozen=True, slots=True)
class RerankState:
    """The reranker and the number of candidates that it judged. `instruction_hash` is the SHA-256
    of its instruction, empty without one. `batches` are the calls of all passes, `requests` the
    requests to a provider for them: as many or more, as each try counts. The settings for them
    (pool, batch, budget) are in the profile."""

    model: str
    instruction_hash: str
    judged: int
    batches: tuple[RerankRequest, ...] = ()
    requests: tuple[RerankRequest, ...] = ()


class Found(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A hit before the chunks are loaded: collection, chunk id, scores by signal."""

    collection: str
    chunk_id: str
    scores: dict[str, float]


@dataclass(frozen=True, slots=True)
class Shown:
    """An item of the pack, without its text. `place` is its path and lines, `score` the signal by
    which it was ranked."""

    number: int
    candidate_id: str
    chunk_id: str
    collection: str
    citation: str
    place: str
    score: Signal
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """The error that a search ended with."""

    type: str
    message: str


@dataclass(frozen=True, slots=True)
class Event:
    """One search. `found` are the best 200 hits of all collections after fusion, best first;
    `masked` says that the question had secrets that are not in the log. `debug` has the requests to
    services and their answers, as in the pack."""

    query_id: str
    time: str
    version: str
    asked: Asked
    collections: Mapping[str, CollectionState]
    reranker: RerankState | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    shown: tuple[Shown, ...] = ()
    verdict: Verdict | None = None
    coverage: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    error: Failure | None = None
    masked: bool = False
    debug: Mapping[str, tuple[Exchange, ...]] = field(default_factory=dict)


def event_of(
    query_id: str,
    time: str,
    asked: Asked,
    infos: Sequence[CollectionInfo],
    trace: Trace,
    outcome: EvidencePack | BaseException,
    found: tuple[Found, ...] | None = None,
) -> Event:
    """Return the event of a search that ended with `outcome`. `infos` are the searched collections,
    `found` is the result of `found_by(trace)`, if it is known already."""
    event = Event(
        query_id=query_id,
        time=time,
        version=VERSION,
        asked=asked,
        collections={info.spec.name: _state_of(info) for info in infos},
        found=found_by(trace) if found is None else found,
        debug=trace.debug(),
    )
    if isinstance(outcome, BaseException):
        failure = Failure(type(outcome).__name__, str(outcome))
        return replace(event, timings_ms=trace.timings_ms(), error=failure)
    return replace(
        event,
        request=msgspec.to_builtins(outcome.plan),
        reranker=_rerank_state(outcome.plan, trace),
        shown=tuple(map(_shown, outcome.evidence)),
        verdict=outcome.verdict,
        coverage=outcome.coverage,
        warnings=outcome.warnings,
        timings_ms=outcome.timings_ms,
    )


def _state_of(info: CollectionInfo) -> CollectionState:
    spec = info.spec
    sources = {r.source.name: r.source.ref or r.indexed_at for r in info.sources}
    return CollectionState(
        spec.dense, spec.sparse, spec.chunker, info.documents, info.chunks, sources
    )


def _rerank_state(plan: Plan, trace: Trace) -> RerankState | None:
    if not plan.reranker:
        return None
    pool = _last(trace, "rerank")
    judged = sum(one.signal("reranked") is not None for one in getattr(pool, "candidates", ()))
    asked = [one for one in trace.exchanges if one.stage == "rerank"]
    counted = [(one.service == RERANKER, RerankRequest(one.items, one.tokens)) for one in asked]
    return RerankState(
        plan.reranker,
        plan.instruction,
        judged,
        tuple(one for is_batch, one in counted if is_batch),
        tuple(one for is_batch, one in counted if not is_batch),
    )


def found_by(trace: Trace) -> tuple[Found, ...]:
    """Return the best 200 hits after fusion, best first."""
    fused = _last(trace, "fuse")
    hits = [one for one in fused if isinstance(one, Fused)] if isinstance(fused, tuple) else []
    return tuple(
        Found(one.collection, one.id, {s.name: _short(s.value) for s in one.signals})
        for one in hits[:FOUND]
    )


def _short(score: float) -> float:
    """Round to six decimals, in a fifth of the time of `round(score, 6)`; a search has 600
    scores."""
    return round(score * 1e6) / 1e6


def _last(trace: Trace, stage: str) -> object:
    return next((step.value for step in reversed(trace.steps) if step.stage == stage), None)


def _shown(item: Evidence) -> Shown:
    ranks = next(one for one in reversed(item.signals) if one.name in RANKING_SIGNALS)
    return Shown(
        number=item.number,
        candidate_id=item.candidate_id,
        chunk_id=item.chunk_id,
        collection=item.collection,
        citation=item.citation,
        place=place_of(item),
        score=ranks,
        signals=item.signals,
    )
