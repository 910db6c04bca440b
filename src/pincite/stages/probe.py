"""Probe the nearest chunk of each collection, to decide whether any chunk is near the question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from pincite.errors import (
    BadResponse,
    EnginePanicked,
    Invalid,
    PinciteError,
    RateLimited,
    WorkspaceUnavailable,
)
from pincite.model import (
    Candidate,
    ChatMode,
    Gated,
    Matrix,
    Notice,
    Query,
    Ranking,
    Scope,
    Signal,
    Vector,
    Verdict,
    VerdictLevel,
)
from pincite.model.citation import cite
from pincite.ports import DenseEncoder, Filter, Searchable, SearchRequest
from pincite.ports.query_vectors import ENCODING_SHARE, QueryVectors
from pincite.scope.filter import scope_filter
from pincite.scope.schema import schema_of
from pincite.support.concurrency import gather_outcomes, store_turn, with_timeout
from pincite.support.fields import replace
from pincite.support.ranges import require_range
from pincite.support.terminal import one_line
from pincite.trace import exchange

#: Returns the candidates that may be cited: those within the scope and still in their files.
Citable = Callable[[Sequence[Candidate]], Awaitable[Sequence[Candidate]]]
#: Chunks to request if the nearest one may not be cited. # guess, unmeasured
_MORE = 10


class ProbeConfig(msgspec.Struct, frozen=True):
    """`enabled`: check the nearest chunk before the rest of the search. `threshold`: the minimum
    cosine for a question to be on topic; an equal value passes. `exact`: compare with every vector
    if the store can, instead of using the vector index."""

    enabled: bool = False
    threshold: float = 0.3
    exact: bool = True

    def __post_init__(self) -> None:
        require_range(self, "probe", "threshold", least=0, most=1)


@dataclass(frozen=True, slots=True)
class Probed:
    """The nearest chunk of each collection, nearest first, and the verdict by its cosine. `verdict`
    is None if it is unknown. `unknown` names the collections without a known nearest chunk.
    `vectors` has the question's vectors, by the fingerprint of the model; `lost` has the errors of
    models without one."""

    candidates: tuple[Candidate, ...]
    verdict: Verdict | None
    rankings: tuple[Ranking, ...] = ()
    unknown: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    vectors: Mapping[str, Vector] = field(default_factory=dict, repr=False)
    lost: Mapping[str, PinciteError] = field(default_factory=dict, repr=False)

    @property
    def passed(self) -> bool:
        """Does the search continue?"""
        return self.verdict is None or self.verdict.level == "grounded"

    def gated(self, mode: ChatMode) -> Gated:
        """Return what to show for a question that did not pass. `strict` shows no evidence; the
        nearest chunks are its closest passages. Other modes show the nearest chunk as weak, with a
        notice."""
        if self.verdict is None:
            raise ValueError("the probe has no result")
        if mode == "strict" or not self.candidates:
            return Gated(self.candidates, self.verdict)
        nearest, verdict = self.candidates[0], self.verdict
        said = (
            f"the nearest passage, {one_line(cite(nearest.chunk))}, has a cosine of"
            f" {verdict.value:.2f}, below {verdict.weak_at:.2f}: it is shown as weak, because"
            f" answer.mode is {mode}"
        )
        return Gated((nearest,), _as_weak(verdict), (Notice("below_threshold", said),))


@dataclass(frozen=True, slots=True)
class ProbedEncoder:
    """An encoder that returns an already computed vector of the question, or raises the error of
    the model that did not embed it. That error is raised for every text, so that nothing waits
    again, unless it is about one request: a text that is too large says nothing about others."""

    encoder: DenseEncoder
    text: str
    found: Vector | PinciteError = field(repr=False)

    @property
    def fingerprint(self) -> str:
        return self.encoder.fingerprint

    @property
    def dimensions(self) -> int:
        return self.encoder.dimensions

    @property
    def languages(self) -> frozenset[str]:
        return self.encoder.languages

    async def embed_query(self, text: str) -> Vector:
        self._check()
        if text != self.text:
            return await self.encoder.embed_query(text)
        if isinstance(self.found, PinciteError):
            raise self.found
        return self.found

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self._check()
        return await self.encoder.embed_documents(texts)

    def _check(self) -> None:
        """Raise the error of the probe unless it is about one request."""
        about_one = isinstance(self.found, Invalid | BadResponse | RateLimited)
        if isinstance(self.found, PinciteError) and not about_one:
            raise self.found


async def probe(
    query: Query,
    collections: Sequence[Searchable],
    scope: Scope,
    config: ProbeConfig,
    citable: Citable,
    timeout_s: float,
    left_ms: float | None = None,
) -> Probed:
    """Find the nearest chunk of each collection by cosine, within the scope of the search, and
    judge by the nearest of all.

    If any chunk reaches the threshold, the question passes. Otherwise it is off topic only if the
    nearest chunk of every collection is known. It is unknown for a collection without dense
    vectors, with missing vectors, with another distance than the cosine, or with a failure. Then
    there is no verdict, and the notice `probe_unavailable` says why. Raises errors that do not
    concern a single collection, and UsageError for an invalid filter.
    """
    schema = schema_of((one.spec for one in collections), scope)
    vectors, lost = await _vectors(query.text, collections, timeout_s, left_ms)

    async def look(one: Searchable) -> _Found:
        if one.dense is None or one.spec.dense is None:
            return _Found(doubt="it has no dense vectors")
        if (fingerprint := one.dense.fingerprint) in lost:
            return _Found(doubt=lost[fingerprint].message)
        filter_ = await scope_filter(one, scope, schema)
        return await _nearest(one, vectors[fingerprint], filter_, config, citable)

    looks = ((scope.called(one.spec.name), look(one)) for one in collections)
    async with store_turn("probe"):
        outcomes = await gather_outcomes([with_timeout(*each, timeout_s) for each in looks])
    unknown: list[tuple[str, str]] = []
    found: list[_Found] = []
    for one, outcome in zip(collections, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            outcome = _Found(doubt=_reason(outcome))
        found.append(outcome)
        if outcome.doubt:
            unknown.append((one.spec.name, outcome.doubt))
    nearest = [one.candidate for one in found if one.candidate is not None]
    nearest.sort(key=lambda one: one.rank_key)
    verdict = _verdict(nearest, config.threshold)
    doubted = verdict.level == "none" and bool(unknown)
    return Probed(
        candidates=tuple(nearest),
        verdict=None if doubted else verdict,
        rankings=tuple(one.ranking for one in found if one.ranking is not None),
        unknown=tuple(name for name, _ in unknown),
        notices=_unavailable(unknown, scope) if doubted else (),
        vectors=vectors,
        lost=lost,
    )


def remembered(
    collections: Sequence[Searchable], query: Query, probed: Probed
) -> tuple[Searchable, ...]:
    """Return the collections with encoders that reuse what the probe found: the question's vectors,
    and the errors of models without one."""
    found: dict[str, Vector | PinciteError] = {**probed.vectors, **probed.lost}
    return tuple(
        replace(one, dense=ProbedEncoder(one.dense, query.text, found[one.dense.fingerprint]))
        if one.dense is not None and one.dense.fingerprint in found
        else one
        for one in collections
    )


class _Found(msgspec.Struct, frozen=True):
    """The nearest chunk of a collection, None if the scope has no chunk. `doubt` gives the reason
    why another chunk may be nearer."""

    candidate: Candidate | None = None
    ranking: Ranking | None = None
    doubt: str = ""


def _reason(error: BaseException) -> str:
    """Return the reason why a collection did not answer, as `_own`."""
    return _own(error).message


def _own(error: BaseException) -> PinciteError:
    """Return the error of a collection or model. Raises errors that concern the whole search."""
    of_all = EnginePanicked | WorkspaceUnavailable
    if isinstance(error, PinciteError) and not isinstance(error, of_all):
        return error
    raise error


async def _vectors(
    text: str, collections: Sequence[Searchable], timeout_s: float, left_ms: float | None
) -> tuple[dict[str, Vector], dict[str, PinciteError]]:
    """Embed the question once with each model, in the same share of the time as in a search.
    Returns vectors and errors by fingerprint."""
    encoders = {one.dense.fingerprint: one.dense for one in collections if one.dense is not None}
    # without any keyword search, the search itself could only wait for the same vectors again
    waited = {
        one.dense.fingerprint for one in collections if one.dense is not None and not one.is_hurried
    }
    limit_s = timeout_s * ENCODING_SHARE
    wanted = QueryVectors(shared=False, limit_s=limit_s, budget_ms=left_ms)
    outcomes = await gather_outcomes(
        [wanted.of(one, text, hurried=name not in waited) for name, one in encoders.items()]
    )
    vectors: dict[str, Vector] = {}
    lost: dict[str, PinciteError] = {}
    for name, outcome in zip(encoders, outcomes, strict=True):
        if isinstance(outcome, BaseException):
            lost[name] = _own(outcome)
        else:
            vectors[name] = outcome
    return vectors, lost


async def _nearest(
    collection: Searchable, vector: Vector, filter_: Filter, config: ProbeConfig, citable: Citable
) -> _Found:
    """Return the nearest chunk that may be cited. More than one chunk is requested only if the
    first may not be cited."""
    exact = config.exact and collection.exact
    for limit in (1, _MORE):
        request = SearchRequest(
            dense=vector, dense_limit=limit, filter=filter_, exact=exact, complete=False
        )
        ranking = await _ask(collection, request)
        loaded = await _load(collection, ranking, vector)
        there = await citable(loaded) if loaded else ()
        if there:
            nearest = min(there, key=lambda one: one.rank_key)
            return _Found(nearest, ranking, _doubt(collection, ranking))
        if len(ranking.hits) < limit:
            return _Found(None, ranking, _doubt(collection, ranking))
    return _Found(None, ranking, f"its nearest {_MORE} chunks have changed since it was indexed")


async def _ask(collection: Searchable, request: SearchRequest) -> Ranking:
    """Return the dense ranking, and report the exchange to listeners."""
    name = collection.spec.name
    told = {
        "dense_limit": request.dense_limit,
        "exact": request.exact,
        "filter": msgspec.to_builtins(request.filter),
    }
    with exchange(collection.store, name, asked=lambda: told) as reply:
        found = await collection.index.search(name, request)
        reply.answered = lambda: {
            one.signal: [[hit.id, round(hit.score, 6)] for hit in one.hits] for one in found
        }
    return next(one for one in found if one.signal == "dense")


async def _load(collection: Searchable, ranking: Ranking, vector: Vector) -> tuple[Candidate, ...]:
    """Return the found chunks with their cosine: that of the store, or computed from the vectors if
    the store uses another distance."""
    name, measured = collection.spec.name, ranking.kind != "cosine"
    scores = {hit.id: hit.score for hit in ranking.hits}
    stored = await collection.index.load(name, list(scores), vectors=measured) if scores else ()
    if measured:
        scores = {
            one.chunk.id: _cosine(vector, one.vector) for one in stored if one.vector is not None
        }
    return tuple(
        Candidate(name, one.chunk, _signals(scores[one.chunk.id]))
        for one in stored
        if one.chunk.id in scores
    )


def _cosine(left: Vector, right: Vector) -> float:
    """Return the cosine of unit vectors, summed in 64 bits in the order of the components."""
    import numpy as np

    return float(np.einsum("i,i->", left.astype(np.float64), right.astype(np.float64)))


def _signals(cosine: float) -> tuple[Signal, ...]:
    """Return the cosine as a signal, and as the signal that ranks."""
    return Signal("dense", "cosine", cosine), Signal("fused", "cosine", cosine)


def _doubt(collection: Searchable, ranking: Ranking) -> str:
    if ranking.kind != "cosine":
        return f"it ranks by {ranking.kind}, whose nearest chunk may not be the nearest by cosine"
    if collection.embedded < 1:
        return f"{collection.embedded:.0%} of its chunks are encoded so far"
    return ""


def _unavailable(unknown: Sequence[tuple[str, str]], scope: Scope) -> tuple[Notice, ...]:
    reasons = (f"{scope.called(name)}: {one_line(why)}" for name, why in unknown)
    told = "; ".join(dict.fromkeys(reasons))
    said = f"the nearest chunk is unknown, so keyword hits count too, and the gate decides: {told}"
    return (Notice("probe_unavailable", said),)


def _verdict(nearest: Sequence[Candidate], threshold: float) -> Verdict:
    """Return the verdict for candidates in order."""
    value = nearest[0].rank_signal.value if nearest else 0.0
    what = f"The cosine of the nearest passage is {value:.2f}"
    level: VerdictLevel = "grounded" if nearest and value >= threshold else "none"
    if not nearest:
        reason = "Nothing was found."
    elif level == "grounded":
        reason = f"{what}, at or above {threshold:.2f}: it is about the question."
    else:
        reason = f"{what}, below {threshold:.2f}: nothing is about the question."
    return Verdict(level, "dense", "cosine", value, threshold, threshold, False, reason)


def _as_weak(verdict: Verdict) -> Verdict:
    reason = f"{verdict.reason.partition(':')[0]}: it may be about something else."
    return replace(verdict, level="weak", reason=reason)
