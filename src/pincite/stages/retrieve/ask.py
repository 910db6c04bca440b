"""Search every collection at once, each with its own encoders."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

import msgspec

from pincite.model import (
    Expansion,
    Notice,
    Pass,
    Query,
    Ranking,
    Scope,
    SourceType,
)
from pincite.model.places import FrameFiles
from pincite.ports import Searchable, SearchRequest
from pincite.ports.failures import split_failures
from pincite.ports.query_vectors import ENCODING_SHARE, QueryVectors
from pincite.questions.frames import Frame
from pincite.scope.choosing import Admit
from pincite.scope.filter import scope_filter
from pincite.scope.schema import schema_of
from pincite.scope.where import Schema
from pincite.stages.retrieve.config import RetrieveConfig
from pincite.stages.retrieve.places import at_places, beside_places
from pincite.stages.retrieve.rankings import ask, merge_wordings, with_all_words
from pincite.stages.retrieve.requests import has_side, request_of, wider
from pincite.stages.retrieve.symbols import defining
from pincite.stages.retrieve.versions import with_versions
from pincite.support.concurrency import gather, gather_outcomes, store_turn, with_timeout
from pincite.support.fields import replace

_DEFINING = 10  # chunks of each name in a pass for definitions


class Retrieved(msgspec.Struct, frozen=True):
    """The rankings of all collections that answered, and notices about the others. `dense` names
    the collections that were also searched by vectors. `defining` has the hits of the symbol
    search and those at the places that the question names, `versions` those with a version that
    the question is about, as (collection, id). `files` are those that fit such a place; `compared`
    names the collections whose documents were all compared with the places."""

    rankings: tuple[Ranking, ...]
    collections: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    dense: frozenset[str] = frozenset()
    counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    defining: frozenset[tuple[str, str]] = frozenset()
    versions: frozenset[tuple[str, str]] = frozenset()
    files: tuple[FrameFiles, ...] = ()
    compared: frozenset[str] = frozenset()


async def retrieve(
    query: Query,
    collections: Sequence[Searchable],
    scope: Scope,
    config: RetrieveConfig,
    done: Pass = Pass(),
    deep: Collection[str] = (),
    left_ms: float | None = None,
    admit: Admit | None = None,
) -> Retrieved:
    """Search both sides of every collection, in one round trip for each wording.

    A widened kind of source is also searched separately, with larger limits. `deep` names the
    collections with at least `code_limit` hits of each side. A collection that fails or is late is
    left out and named in a notice. If none is left, the error of the first one is raised.
    `left_ms` is the rest of the time budget, None without one: a provider's vector that takes
    longer is not waited for. If the question is about versions, passages with them are searched for
    in addition. Of the files at a place, only those count that `admit` allows.
    """
    schema = schema_of((one.spec for one in collections), scope)
    settings = [config.deeper() if one.spec.name in deep else config for one in collections]
    limit_s = config.timeout_s * ENCODING_SHARE
    vectors = QueryVectors(shared=len(collections) > 1, limit_s=limit_s, budget_ms=left_ms)
    try:
        results = await gather_outcomes(
            [
                _one(query, one, scope, schema, limits, done, vectors, left_ms, admit)
                for one, limits in zip(collections, settings, strict=True)
            ]
        )
    finally:
        vectors.close()
    names = [collection.spec.name for collection in collections]
    answered, failed = split_failures(names, results)
    notices: list[Notice] = []
    for name in names:
        notices += [failed[name]] if name in failed else answered[name].notices
    return Retrieved(
        tuple(ranking for found in answered.values() for ranking in found.rankings),
        tuple(answered),
        tuple(notices),
        frozenset[str]().union(*(found.dense for found in answered.values())),
        counts={
            name: len({hit.id for ranking in found.rankings for hit in ranking.hits})
            for name, found in answered.items()
        },
        defining=frozenset[tuple[str, str]]().union(*(one.defining for one in answered.values())),
        versions=frozenset[tuple[str, str]]().union(*(one.versions for one in answered.values())),
        files=tuple(files for one in answered.values() for files in one.files),
        compared=frozenset[str]().union(*(one.compared for one in answered.values())),
    )


async def _one(
    query: Query,
    collection: Searchable,
    scope: Scope,
    schema: Schema,
    config: RetrieveConfig,
    done: Pass,
    vectors: QueryVectors,
    left_ms: float | None,
    admit: Admit | None,
) -> Retrieved:
    """Search one collection: the question with its sub-queries, the places that it names, and, in
    a later pass, its rephrasings and widened kinds. Raises StoreError if the collection exceeds
    its time limit. The model has a limit of its own, so that a part is left for keyword search even
    if the process stood still meanwhile."""
    name = collection.spec.name
    loop = asyncio.get_running_loop()
    begun_s = loop.time()
    in_time = partial(with_timeout, scope.called(name), timeout_s=config.timeout_s)
    wordings = [Expansion(query.text), *query.subqueries]
    if done.expanded:
        wordings += [
            e for e in query.expansions if e.collection in ("", name, collection.spec.public_name)
        ]
    notices: list[Notice] = []
    filter_ = await in_time(scope_filter(collection, scope, schema))
    requests = [
        await request_of(wording, query, collection, scope, filter_, config, vectors, notices)
        for wording in wordings
    ]
    if collection.embedded < 1 and collection.spec.dense is not None and config.mode != "keyword":
        notices.append(_partial(collection, scope))
    wide = [wider(requests[0], kind, config) for kind in _kinds(collection, done)]
    symbols = _symbols(requests[0], query, collection, config, done)
    of_versions = [] if collection.foreign else with_versions(requests[0], query.asked.versions)
    named = {} if collection.foreign else _wordings_of_frames(query, wordings, requests)
    at = {frame: requests[n] for frame, n in named.items()}

    def rest_ms() -> float | None:
        return None if left_ms is None else left_ms - 1000 * (loop.time() - begun_s)

    places = await at_places(at, collection, rest_ms(), admit)
    pairs = enumerate(zip(wordings, requests, strict=True))
    asked = [(n, one.text, request) for n, (one, request) in pairs if n == 0 or has_side(request)]
    asked += [(0, query.text, request) for request in wide]
    of_places = slice(len(asked), len(asked) + len(places.requests))
    asked += [
        (named[frame], wordings[named[frame]].text, request)
        for frame, request, _ in places.requests
    ]
    asked += [(0, query.text, request) for request in ([symbols] if symbols else [])]
    last = len(asked)
    asked += [(0, query.text, request) for request in of_versions]
    least_s = config.timeout_s * (1 - ENCODING_SHARE)
    left_s = max(begun_s + config.timeout_s - loop.time(), least_s)
    async with store_turn("search"):
        asking = gather(
            [
                ask(collection, request)
                if config.keyword == "bm25"
                else with_all_words(collection, request, text)
                for _, text, request in asked
            ]
        )
        answers = await in_time(asking, left_s=left_s)
        beside: list[tuple[Frame, tuple[Ranking, ...]]] = []
        if config.keyword == "bm25":
            at_lines = answers[of_places]
            places, beside = await beside_places(places, at_lines, at, collection, rest_ms())
    numbered = [(n, found) for (n, _, _), found in zip(asked, answers, strict=True)]
    numbered += [(named[frame], found) for frame, found in beside]
    scales = {"dense": collection.spec.dense or ""}
    merged = merge_wordings(
        [
            replace(ranking, wording=wording, scale=scales.get(ranking.signal, ""))
            for wording, found in numbered
            for ranking in found
        ]
    )
    dense = frozenset((name,)) if any(r.dense is not None for r in requests) else frozenset()
    return Retrieved(
        merged,
        (name,),
        tuple(notices),
        dense,
        defining=_ids(name, (*answers[of_places.start : last], *(found for _, found in beside))),
        versions=_ids(name, answers[last:]),
        files=places.files,
        compared=frozenset((name,)) if places.is_known else frozenset(),
    )


def _wordings_of_frames(
    query: Query, wordings: Sequence[Expansion], requests: Sequence[SearchRequest]
) -> dict[Frame, int]:
    """Return the places that are asked for, each with the number of the wording that names it: 0
    for the question itself, and if only a wording without a side of this collection does."""
    found: dict[Frame, int] = {}
    for n, (one, request) in enumerate(zip(wordings, requests, strict=True)):
        if one.frames and has_side(request):
            found = dict.fromkeys(one.frames, n) | found
    return {frame: found.get(frame, 0) for frame in query.asked.frames}


def _ids(collection: str, answers: Iterable[Iterable[Ranking]]) -> frozenset[tuple[str, str]]:
    return frozenset(
        (collection, hit.id) for found in answers for ranking in found for hit in ranking.hits
    )


def _symbols(
    request: SearchRequest,
    query: Query,
    collection: Searchable,
    config: RetrieveConfig,
    done: Pass,
) -> SearchRequest | None:
    """Return the request for definitions: always for code; for collections that also have other
    files, if the question is only a name; for others only in a pass for definitions."""
    if done.defining and not collection.foreign:
        return defining(request, query, config.symbol_limit or _DEFINING)
    named = query.asks == "symbol" and "code" in collection.kinds
    return defining(request, query, config.symbol_limit) if collection.code or named else None


def _partial(collection: Searchable, scope: Scope) -> Notice:
    name = scope.called(collection.spec.public_name)
    said = f"{collection.embedded:.0%} of the passages of {name} are encoded"
    return Notice("partly_encoded", f"{said} so far: the others are found by keyword search only")


def _kinds(collection: Searchable, done: Pass) -> list[SourceType]:
    return sorted(done.widened & collection.kinds)
