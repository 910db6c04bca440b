"""Ask every collection, each with its own encoders, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from pincite.errors import ConfigError, PinciteError, StoreError
from pincite.model import DocumentRecord, Notice, Query, Ranking, Scope
from pincite.ports import AnyOf, Filter, Searchable, SearchRequest


@dataclass(frozen=True, slots=True)
class RetrieveConfig:
    """Hits per branch and collection, the engine's parameters, and its time limit.

    nDCG@10 over ten collections with limits of 100, 80, 60, 50: .7570 .7569 .7566 .7565, within
    noise, while the engine's work halves (docs/decisions/0004).
    """

    dense_limit: int = 60
    sparse_limit: int = 60
    hnsw_ef: int = 128
    exact: bool = False
    timeout_s: float = 10.0

    def __post_init__(self) -> None:
        for name in ("dense_limit", "sparse_limit", "hnsw_ef"):
            if getattr(self, name) < 1:
                raise ConfigError(f"retrieve.{name} is {getattr(self, name)}; it must be 1 or more")
        if self.timeout_s <= 0:
            raise ConfigError(f"retrieve.timeout_s is {self.timeout_s}; it must be positive")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The rankings of all collections that answered, and what went wrong with the others."""

    rankings: tuple[Ranking, ...]
    collections: tuple[str, ...]
    notices: tuple[Notice, ...] = ()
    dense: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)


async def retrieve(
    query: Query, collections: Sequence[Searchable], scope: Scope, config: RetrieveConfig
) -> Retrieved:
    """Both branches of every collection, in one round trip each.

    A collection that fails or takes too long is left out and named in a notice. Raises the error of
    the first one if none is left.
    """
    results = await asyncio.gather(
        *(_one(query, collection, scope, config) for collection in collections),
        return_exceptions=True,
    )
    answered: dict[str, tuple[Ranking, ...]] = {}
    notices: list[Notice] = []
    errors: list[PinciteError] = []
    for collection, result in zip(collections, results, strict=True):
        name = collection.spec.name
        if isinstance(result, PinciteError):
            errors.append(result)
            notices.append(Notice("collection_failed", f"{name} was left out: {result.message}"))
        elif isinstance(result, BaseException):
            raise result
        else:
            answered[name] = result[0]
            notices += result[1]
    if errors and not answered:
        raise errors[0]
    rankings = tuple(ranking for found in answered.values() for ranking in found)
    return Retrieved(
        rankings,
        tuple(answered),
        tuple(notices),
        dense=any(ranking.signal == "dense" for ranking in rankings),
        counts={
            name: len({hit.id for ranking in found for hit in ranking.hits})
            for name, found in answered.items()
        },
    )


async def _one(
    query: Query, collection: Searchable, scope: Scope, config: RetrieveConfig
) -> tuple[tuple[Ranking, ...], list[Notice]]:
    name, notices = collection.spec.name, []
    try:
        async with asyncio.timeout(config.timeout_s):
            dense = None
            if collection.spec.dense is None:
                notices.append(
                    Notice(
                        "lexical_only",
                        f"{name} has no dense vectors and was searched by word alone: to add"
                        " them run `pincite index --upgrade`",
                    )
                )
            elif collection.dense is not None:
                try:
                    dense = await collection.dense.embed_query(query.text)
                except PinciteError as error:
                    notices.append(
                        Notice("dense_unavailable", f"{name} by word alone: {error.message}")
                    )
            sparse = collection.sparse.encode_query(query.text)
            if not sparse.indices:
                notices.append(
                    Notice("no_terms", "the query has no word to search for: use some words")
                )
            request = SearchRequest(
                dense=dense,
                sparse=sparse if sparse.indices else None,
                dense_limit=config.dense_limit,
                sparse_limit=config.sparse_limit,
                filter=await _filter(collection, scope),
                hnsw_ef=config.hnsw_ef,
                exact=config.exact,
            )
            return await collection.index.search(name, request), notices
    except TimeoutError as error:
        raise StoreError(f"{name} gave no answer within {config.timeout_s:g} s") from error


async def _filter(collection: Searchable, scope: Scope) -> Filter:
    must = []
    if scope.sources:
        must.append(AnyOf("repo", scope.sources))
    if scope.source_types:
        must.append(AnyOf("source_type", scope.source_types))
    if scope.ref or scope.allow or scope.block:
        records = await collection.index.documents(collection.spec.name)
        allowed = sorted({r.revision for r in records if _in_scope(r, scope)})
        must.append(AnyOf("revision", tuple(allowed)))
    return Filter(must=tuple(must))


def _in_scope(record: DocumentRecord, scope: Scope) -> bool:
    """`ref` may be shortened; globs are matched against the whole path, `*` also over `/`."""
    if scope.ref and not record.ref.startswith(scope.ref):
        return False
    if scope.allow and not any(fnmatchcase(record.path, glob) for glob in scope.allow):
        return False
    return not any(fnmatchcase(record.path, glob) for glob in scope.block)
