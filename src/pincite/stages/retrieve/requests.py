"""Build the requests to one collection: both sides of a wording, and wider ones for a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from pincite.errors import NoDenseVectors, PinciteError, UsageError
from pincite.model import Expansion, Notice, Query, Scope, SourceType, SparseVector, Vector
from pincite.ports import AnyOf, Filter, Searchable, SearchRequest
from pincite.ports.failures import rate_notices
from pincite.ports.query_vectors import BudgetSpent, QueryVectors
from pincite.stages.retrieve.config import RetrieveConfig, SearchMode
from pincite.support.fields import replace


async def request_of(
    wording: Expansion,
    query: Query,
    collection: Searchable,
    scope: Scope,
    filter_: Filter,
    config: RetrieveConfig,
    vectors: QueryVectors,
    notices: list[Notice],
) -> SearchRequest:
    """Build the request for both sides, or only for the side of a typed rephrasing. The collection
    may lack a side."""
    text, kind = wording.text, wording.kind
    dense = None
    if config.mode != "keyword" and kind is None:
        told = None if config.mode == "vector" else notices
        dense = await _dense(text, collection, scope, vectors, told)
    elif config.mode != "keyword" and kind != "lex":
        dense = await _further(wording, collection, scope, vectors, notices)
    sparse = SparseVector((), ())
    if config.mode != "vector" and kind in (None, "lex"):
        encode = partial(vectors.sparse_of, collection.sparse)
        weight = config.identifier_weight if kind is None else 0.0
        sparse = _emphasised(text, query.identifiers, encode, weight)
        if not sparse.indices and kind is None:
            notices.append(_without_words(collection, scope, config.mode))
    return SearchRequest(
        dense=dense,
        sparse=sparse if sparse.indices else None,
        dense_limit=collection.depth or config.dense_limit,
        sparse_limit=collection.depth or config.sparse_limit,
        filter=filter_,
        hnsw_ef=config.hnsw_ef,
        exact=config.exact,
        fusion=config.engine_fusion if config.mode == "hybrid" else "none",
        fusion_k=config.engine_k,
        fusion_limit=config.engine_limit,
        words=text if sparse.indices else "",
    )


async def _dense(
    text: str,
    collection: Searchable,
    scope: Scope,
    vectors: QueryVectors,
    notices: list[Notice] | None,
) -> Vector | None:
    """Return the vector of the text. If there is none, a notice gives the reason, unless the user
    chose a collection without vectors; in a search by vectors only, an error does."""
    name = scope.called(collection.spec.name)
    named = name == collection.spec.name
    upgrade = f"run `pincite index --upgrade -c {collection.spec.public_name}`"
    upgrade = upgrade if named else "see `pincite status`"
    if collection.spec.dense is None:
        lacking = f"{name} has no dense vectors"
        if notices is None:
            raise NoDenseVectors(lacking, hint=f"to add them, {upgrade}")
        if not collection.spec.lexical_by_choice:
            said = f"{lacking}, so it was searched by keywords only: to add them, {upgrade}"
            notices.append(Notice("lexical_only", said))
    elif collection.dense is not None:
        try:
            hurried = notices is not None and collection.is_hurried
            return await vectors.of(collection.dense, text, hurried=hurried)
        except PinciteError as error:
            if notices is None or not collection.spec.sparse:
                raise
            late = isinstance(error, BudgetSpent)
            notices.append(
                Notice(
                    "budget_no_vectors" if late else "dense_unavailable",
                    f"{name} was searched by keywords only: {error.message}",
                )
            )
            notices += rate_notices(error)
    return None


async def _further(
    wording: Expansion,
    collection: Searchable,
    scope: Scope,
    vectors: QueryVectors,
    notices: list[Notice],
) -> Vector | None:
    """Return the vector of a sub-query, embedded as a document for `hyde`. If there is none, a
    notice gives the reason, except for a collection without vectors, which has its own notice."""
    if collection.spec.dense is None or collection.dense is None:
        return None
    hurried = collection.is_hurried
    try:
        if wording.kind == "hyde":
            return await vectors.of_document(collection.dense, wording.text, hurried=hurried)
        return await vectors.of(collection.dense, wording.text, hurried=hurried)
    except PinciteError as error:
        name = scope.called(collection.spec.name)
        said = f"{name} was searched without {wording.kind}: {error.message}"
        notices.append(Notice("subquery_unavailable", said))
        return None


def has_side(request: SearchRequest) -> bool:
    """Does the request have any side? A sub-query may be for a side that the collection lacks."""
    return request.dense is not None or request.sparse is not None


def _without_words(collection: Searchable, scope: Scope, mode: SearchMode) -> Notice:
    """Return the reason why the lexical side is not searched. Raises UsageError if no other side is
    searched."""
    if collection.spec.sparse:
        return Notice("no_terms", "the query has no word to search for: add some words")
    name = scope.called(collection.spec.name)
    said = f"{name} has no sparse vectors: it supports semantic search only"
    if mode == "keyword":
        raise UsageError(said)
    return Notice("dense_only", said)


def _emphasised(
    text: str,
    identifiers: Iterable[str],
    encode: Callable[[str], SparseVector],
    weight: float,
) -> SparseVector:
    """Return the query's sparse vector plus `weight` times that of its identifiers."""
    whole = encode(text)
    names = " ".join(identifiers)
    if weight == 0 or not names:
        return whole
    values = dict(zip(whole.indices, whole.values, strict=True))
    part = encode(names)
    for index, value in zip(part.indices, part.values, strict=True):
        values[index] = values.get(index, 0.0) + weight * value
    return SparseVector(tuple(sorted(values)), tuple(values[index] for index in sorted(values)))


def wider(request: SearchRequest, kind: SourceType, config: RetrieveConfig) -> SearchRequest:
    """Return the same request for one kind of source, with larger limits."""
    return replace(
        request.only(AnyOf("source_type", (kind,))),
        dense_limit=round(request.dense_limit * config.widened),
        sparse_limit=round(request.sparse_limit * config.widened),
        fusion_limit=round(request.fusion_limit * config.widened),
    )
