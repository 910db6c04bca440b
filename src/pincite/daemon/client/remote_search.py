"""Run a whole search inside the daemon, beside the index and the encoder: one round trip instead of
three.

The daemon searches collections whose models it has: the bundled dense one, or none, and BM25.
Searches that need a provider, a reranker or a trace of every step run in the client, with the same
`pincite.search`. So do searches of a store on a server: one more round trip costs little there, and
the log shows the requests to the server.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pincite.daemon.server.encoder import Host, QueryEncoder
from pincite.daemon.wire.messages import Answer, RemoteSearch, SearchableState
from pincite.deps import Deps, informative_terms
from pincite.model import Question
from pincite.ports import Files, Readable, Searchable
from pincite.ports.tracing import installed, traceparent
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import found_by
from pincite.search import search
from pincite.stages import rank_code
from pincite.support.decodable import ready
from pincite.support.memoize import memoize_last
from pincite.trace import Trace

_SETTINGS = 64  # decoded profiles and sets of collections that are cached


def remote_search_of(
    question: Question, deps: Deps, daemon: Readable, profile: Profile, *, logged: bool
) -> RemoteSearch | None:
    """Return a search as a message to `daemon`, None if it needs something that only the client
    has."""
    known = _hosted(deps.collections)
    asked = deps.reranker is not None or deps.llm is not None
    others = asked or deps.admit is not None
    if known is None or known.daemon is not daemon or others or deps.notices:
        return None
    return RemoteSearch(
        question, known.places, _encoded(profile), known.models, logged, traceparent()
    )


@memoize_last
def _encoded(profile: Profile) -> bytes:
    return msgspec.msgpack.encode(profile)


class _Hosted(NamedTuple):
    """Collections that one daemon can search by itself."""

    daemon: Readable
    places: bytes
    models: str


@memoize_last
def _hosted(collections: Sequence[Searchable]) -> _Hosted | None:
    models = {one.dense.models for one in collections if isinstance(one.dense, QueryEncoder)}
    daemon = collections[0].index
    if len(models) > 1 or not all(_is_hosted(one, daemon) for one in collections):
        return None
    places = tuple(
        SearchableState(
            *(one.spec, one.code, one.rung, one.kinds, one.depth, one.weight),
            *(one.embedded, one.exact),
        )
        for one in collections
    )
    return _Hosted(daemon, msgspec.msgpack.encode(places), models.pop() if models else "")


def _is_hosted(one: Searchable, daemon: Readable) -> bool:
    dense = one.dense is None or isinstance(one.dense, QueryEncoder)
    near = one.store in ("edge", "sqlite")
    return one.index is daemon and near and dense and isinstance(one.sparse, Bm25Encoder)


async def answer(asked: RemoteSearch, host: Host, files: Files | None = None) -> Answer:
    """Search, and check the files of the results. Raises the errors of `pincite.search`."""
    trace = Trace(time.perf_counter)
    places = _places(asked.places)
    deps = Deps(
        collections=[_open(place, host, asked.models) for place in places],
        terms=informative_terms(places[0].spec.language),
        language_of=guess_language,
        files=files,
    )
    profile = _profile(asked.profile)
    tracing = installed() if asked.traceparent else None
    if tracing is None:
        pack = await search(asked.question, deps, profile, trace)
    else:
        with (
            tracing.span("pincite.hosted", {}, "server", asked.traceparent),
            tracing.stages() as trace.follower,
        ):
            pack = await search(asked.question, deps, profile, trace)
    told = tracing is not None and trace.follower is not None
    return Answer(pack, found_by(trace) if asked.logged else (), told)


def _open(place: SearchableState, host: Host, models: str) -> Searchable:
    spec = place.spec
    dense = None
    if spec.dense is not None:
        dense = QueryEncoder(host, models, spec.dense, spec.dimensions)
    sparse = _sparse(spec.language)
    rest = (place.code, place.rung, place.kinds, place.depth, place.weight)
    return Searchable(
        *(spec, host, sparse, dense, *rest),
        embedded=place.embedded,
        exact=place.exact,
    )


def forget() -> None:
    """Clear the caches."""
    for known in (_places, _profile, _sparse):
        known.cache_clear()
    rank_code.forget()


@lru_cache(_SETTINGS)
def _places(encoded: bytes) -> tuple[SearchableState, ...]:
    return msgspec.msgpack.decode(encoded, type=ready(tuple[SearchableState, ...]))


@lru_cache(_SETTINGS)
def _profile(encoded: bytes) -> Profile:
    return msgspec.msgpack.decode(encoded, type=ready(Profile))


@lru_cache(_SETTINGS)
def _sparse(language: str) -> Bm25Encoder:
    return Bm25Encoder(language)
