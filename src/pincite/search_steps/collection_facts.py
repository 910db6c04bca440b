"""Facts about the searched collections that steps depend on."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Scope, SourceType
from pincite.ports import Searchable
from pincite.scope.filter import kinds_of


def code_collections(collections: Sequence[Searchable], scope: Scope) -> frozenset[str]:
    """The collections in which all that this scope lets pass is code, or nearly all."""
    only_code = kinds_of(scope) == {"code"}
    return frozenset(one.spec.name for one in collections if one.code or only_code)


def deep_collections(collections: Sequence[Searchable], scope: Scope) -> frozenset[str]:
    """The collections that get as many candidates as code: those of `code_collections`, and those
    of which a large part is code, if this scope lets code pass."""
    with_code = "code" in kinds_of(scope)
    deep = (one.spec.name for one in collections if one.deep and with_code)
    return code_collections(collections, scope).union(deep)


def partly_embedded(collections: Sequence[Searchable]) -> dict[str, float]:
    """The collections in which some chunks have no dense vector yet, with the share that has."""
    return {one.spec.name: one.embedded for one in collections if one.embedded < 1}


def in_other_languages(collections: Sequence[Searchable]) -> frozenset[str]:
    """The collections whose language their dense model does not know."""
    return frozenset(
        one.spec.name
        for one in collections
        if one.dense is not None
        and one.dense.languages
        and one.spec.language not in one.dense.languages
    )


def with_unmeasured_model(collections: Sequence[Searchable]) -> frozenset[str]:
    """The collections whose dense model is not the bundled one. The thresholds of the verdict were
    measured with that one; cosines of others have other ranges."""
    return frozenset(
        one.spec.name
        for one in collections
        if one.dense is not None and one.rung != "bundled-model"
    )


def dense_models(collections: Sequence[Searchable]) -> dict[str, str | None]:
    """The dense model of each collection. Only vectors of one model can be compared."""
    return {one.spec.name: one.spec.dense for one in collections}


def kinds_within(collections: Sequence[Searchable], scope: Scope) -> frozenset[SourceType]:
    """The kinds of sources that a search may find."""
    there = frozenset(kind for one in collections for kind in one.kinds)
    return there & kinds_of(scope)


def required_attributes(collections: Sequence[Searchable]) -> dict[str, int]:
    """The number of attributes that each collection requires."""
    return {one.spec.name: len(one.spec.require) for one in collections}


def is_kept_apart(collections: Sequence[Searchable], scope: Scope) -> bool:
    """Is the caller kept apart from others, who may have documents in the same collections? Then no
    result may depend on the documents of others."""
    return bool(scope.tags or scope.bounds) or any(one.spec.require for one in collections)
