"""Facts about the searched collections that steps depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pincite.model import Scope, SourceType
from pincite.ports import Searchable
from pincite.scope.filter import kinds_of


@dataclass(frozen=True, slots=True)
class CollectionFacts:
    """What one search knows of its collections in all of its passes, by their names.

    `code`: those in which all that the scope lets pass is code, or nearly all. `deep`: those that
    get many hits: those of code, and those of which a large part is code, if the scope lets code
    pass. `kinds`: the kinds of sources that the search may find.

    `models`: the dense model of each; only vectors of one model can be compared. `partial`: those
    in which some chunks have no dense vector yet, with the share that has. `other_language`: those
    whose language their dense model does not know. `unmeasured`: those whose dense model is not the
    bundled one. The thresholds of the verdict were measured with that one; cosines of others have
    other ranges.

    `weights`: the factor of the fused scores of each. `required`: the number of attributes that
    each requires. `apart`: is the caller kept apart from others, who may have documents in the same
    collections? Then no result may depend on the documents of others.
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

    @classmethod
    def of(cls, collections: Sequence[Searchable], scope: Scope) -> CollectionFacts:
        """Return the facts for a search within this scope. Raises UsageError for a wrong filter."""
        kinds = kinds_of(scope)

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
            required={one.spec.name: len(one.spec.require) for one in collections},
            apart=bool(scope.tags or scope.bounds) or any(one.spec.require for one in collections),
        )


def _in_other_language(one: Searchable) -> bool:
    known = one.dense.languages if one.dense is not None else frozenset()
    return bool(known) and one.spec.language not in known
