"""Run a client's search in the daemon, which has the index and the encoder."""

from __future__ import annotations

import time
from functools import lru_cache

import msgspec
from msgspec.structs import asdict

from pincite.daemon.server.encoder import Host, QueryEncoder
from pincite.daemon.wire.messages import Answer, Place, RemoteSearch
from pincite.deps import Deps
from pincite.model import CollectionSpec
from pincite.ports import Files, Searchable, SearchableFacts
from pincite.ports.tracing import installed
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import found_by
from pincite.search import search
from pincite.stages import rank_code
from pincite.support.decodable import ready
from pincite.trace import Trace

_SETTINGS = 64  # decoded profiles and sets of collections that are cached


async def search_here(asked: RemoteSearch, host: Host, files: Files | None = None) -> Answer:
    """Search, and compare the results with their files. Raises the errors of `pincite.search`."""
    trace = Trace(time.perf_counter)
    places = _places(asked.places)
    deps = Deps(
        collections=[_open(*place, host, asked.models) for place in places],
        terms=informative_terms(places[0][0].language),
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


def _open(spec: CollectionSpec, facts: SearchableFacts, host: Host, models: str) -> Searchable:
    dense = None
    if spec.dense is not None:
        dense = QueryEncoder(host, models, spec.dense, spec.dimensions)
    return Searchable(spec, host, _sparse(spec.language), dense, **asdict(facts))


def forget() -> None:
    """Clear the caches."""
    for known in (_places, _profile, _sparse):
        known.cache_clear()
    rank_code.forget()


@lru_cache(_SETTINGS)
def _places(encoded: bytes) -> tuple[Place, ...]:
    return msgspec.msgpack.decode(encoded, type=ready(tuple[Place, ...]))


@lru_cache(_SETTINGS)
def _profile(encoded: bytes) -> Profile:
    return msgspec.msgpack.decode(encoded, type=ready(Profile))


@lru_cache(_SETTINGS)
def _sparse(language: str) -> Bm25Encoder:
    return Bm25Encoder(language)
