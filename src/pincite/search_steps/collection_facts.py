"""Facts about the searched collections that steps depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from pincite.model import Scope, SourceType
from pincite.ports import Filter, Searchable
from pincite.scope.apart import is_apart, readable_filter
from pincite.scope.filter import kinds_of
from pincite.scope.schema import schema_of


class CollectionFacts(msgspec.Struct, frozen=True):
    """Facts about the collections of one search, by their names. They hold for all of its passes.

    `code`: the collections whose chunks in the scope are all, or nearly all, code. `deep`: the
    collections that get many hits: those of `code`, and those with a large share of code if the
    scope includes code. `kinds`: the kinds of sources that the search may find.

    `models`: the dense model of each collection; only vectors of one model can be compared.
    `partial`: the share of chunks with a dense vector, for collections where some have none yet.
    `other_language`: the collections whose language their dense model does not know. `unmeasured`:
    the collections with another dense model than the bundled one. The thresholds of the verdict
    were measured with the bundled model; cosines of other models have other ranges.

    `weights`: the factor for the fused scores of each collection. `required`: the number of
    attributes that each collection requires. `apart`: see `pincite.scope.apart.is_apart`.
    `readable`: the filter of each collection for all that the caller may read of it, whatever part
    the search is for.
    """

    code: frozenset[str]
    deep: frozenset[str]
    kinds: frozenset[SourceType]
    models: Mapping[str, str | None]
    partial: Mapping[str, float]
    other_language: frozenset[str]
    unmeasured: frozenset[str]
    weights: Mapping[str, float]
    required: Mapping[str, int]
    apart: bool
    readable: Mapping[str, Filter]

    @classmethod
    def of(
        cls, collections: Sequence[Searchable], scope: Scope, *, checked: bool = False
    ) -> CollectionFacts:
        """Return the facts for a search within this scope. `checked`: documents are checked while
        it runs (`Deps.admit`). Raises UsageError for a wrong filter."""
        kinds = kinds_of(scope)
        specs = [one.spec for one in collections]
        schema = schema_of(specs, scope)

        def those(fit: Callable[[Searchable], bool]) -> frozenset[str]:
            return frozenset(one.spec.name for one in collections if fit(one))

        return cls(
            code=those(lambda one: one.code or kinds == {"code"}),
            deep=those(lambda one: one.code or (one.deep and "code" in kinds)),
            kinds=frozenset(kind for one in collections for kind in one.kinds) & kinds,
            models={one.spec.name: one.spec.dense for one in collections},
            partial={one.spec.name: one.embedded for one in collections if one.embedded < 1},
            other_language=those(_in_other_language),
            unmeasured=those(lambda one: one.dense is not None and one.rung != "bundled-model"),
            weights={one.spec.name: one.weight for one in collections},
            required={spec.name: len(spec.require) for spec in specs},
            apart=is_apart(scope, specs, checked=checked),
            readable={spec.name: readable_filter(spec, scope, schema) for spec in specs},
        )


def _in_other_language(one: Searchable) -> bool:
    known = one.dense.languages if one.dense is not None else frozenset()
    return bool(known) and one.spec.language not in known
