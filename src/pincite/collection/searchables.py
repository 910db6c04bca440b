"""Collections with the encoders that made them, opened for searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pincite.collection.members import members, visible
from pincite.daemon.server.encoder import QueryEncoder
from pincite.encoders.by_name import CollectionEncoder, rung_of
from pincite.encoders.fingerprint import require_fingerprint
from pincite.encoders.sparse import sparse_of
from pincite.errors import PinciteError, ProviderError, UsageError
from pincite.model import CollectionSpec, Notice, Scope
from pincite.ports import CollectionInfo, DenseEncoder, Searchable
from pincite.ports.failures import failure_notice
from pincite.scope.bound_where import refused_collection
from pincite.settings.sections.models import BUNDLED, CollectionOptions, is_bundled
from pincite.settings.variables import COLLECTION
from pincite.support.concurrency import within

if TYPE_CHECKING:
    from pincite.collection.foreign import ForeignCollections
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.encoders.by_name import Models
    from pincite.settings.load import Settings

#: The share of its chunks from which a collection counts as code; mixed ones gain nothing from that
#: (docs/decisions/0004). If data did not count in the total, three repositories with much data
#: would rank as code: nDCG rises from .706 to .767 for 72 questions about their code, and falls
#: from .752 to .358 for 45 about their pages (0020).
CODE_SHARE = 0.75
#: The share from which a collection is searched as deep as code: otherwise, data and pages displace
#: code among few hits (docs/decisions/0020).
DEEP_SHARE = 0.5
#: Seconds to open a model whose name differs from that of the collection's model, to compare both
#: before a search. Guess, unmeasured.
_OPENING_S = 7.0


_Meant: TypeAlias = tuple[tuple[Searchable, ...], tuple[Notice, ...]]


@dataclass(slots=True)
class Searchables:
    """The collections of an index by name, opened once. `failed` has the errors of those that could
    not be opened. `named` has the model that the configuration names, for collections with a single
    model. `default` is the collection for a scope that names none, empty for all."""

    infos: Mapping[str, CollectionInfo]
    opened: dict[str, Searchable] = field(default_factory=dict)
    failed: dict[str, PinciteError] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    default: str = ""
    _last: tuple[Scope, _Meant] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def partial(self) -> bool:
        """Whether a collection lacks vectors that are still to be computed."""
        return any(one.embedded < 1 for one in self.opened.values())

    async def within(self, scope: Scope) -> _Meant:
        """Return the collections of a scope, with all members of each base, and notices about
        members that could not be opened while others could.

        Raises UsageError for an unknown name, FingerprintMismatch, ConfigError, ProviderError.
        """
        if self._last is None or self._last[0] != scope:
            self._last = scope, await self._within(scope)
        return self._last[1]

    async def _within(self, scope: Scope) -> _Meant:
        found: list[Searchable] = []
        notices: list[Notice] = []
        for group in self._groups(scope):
            lost = [(name, self.failed[name]) for name in group if name in self.failed]
            there = [self.opened[name] for name in group if name in self.opened]
            theirs = not self._asked(scope) and any(self.infos[name].foreign for name in group)
            if lost and not there and not theirs:
                raise lost[0][1]
            notices += [failure_notice(*one) for one in lost]
            found += there
        for one in found:
            await self._require_configured(one)
        return tuple(found), tuple(notices)

    def _asked(self, scope: Scope) -> tuple[str, ...]:
        """Return the collections that the scope names, else the default of the settings."""
        return scope.collections or ((self.default,) if self.default else ())

    def _groups(self, scope: Scope) -> list[tuple[str, ...]]:
        """Return the names of the members of each requested base, without duplicates."""
        infos = self.infos.values()
        bases = dict.fromkeys(info.spec.public_name for info in visible(infos))
        groups: list[tuple[str, ...]] = []
        for asked in dict.fromkeys(self._asked(scope) or bases):
            of_base = tuple(info.spec.name for info in members(infos, asked))
            if (error := self._unusable(asked, scope)) is not None:
                if "collections" in scope.unshown:
                    raise refused_collection() from error
                raise error
            known = {name for group in groups for name in group}
            groups.append(tuple(name for name in of_base or (asked,) if name not in known))
        return groups

    def _unusable(self, asked: str, scope: Scope) -> UsageError | None:
        """Return why a named collection cannot be searched; None if it can."""
        if tuple(members(self.infos.values(), asked)):
            return None
        called = sorted({info.spec.public_name for info in self.infos.values()})
        if asked not in self.infos:
            meant = "" if scope.collections else f", the value of {COLLECTION}"
            return UsageError(
                f"no collection is named {asked!r}{meant}; known collections: {', '.join(called)}",
                hint="pincite collections",
            )
        spec = self.infos[asked].spec
        if not spec.pending:
            return None
        return UsageError(
            f"the collection {asked!r} is not complete yet",
            hint=f"pincite reembed {spec.public_name} --to {spec.model or BUNDLED}",
        )

    async def _require_configured(self, one: Searchable) -> None:
        """Raise FingerprintMismatch if `[collections.NAME]` names another model than the one that
        made the collection."""
        named = self.named.get(one.spec.name)
        if named is None or one.spec.dense is None:
            return
        wanted = "" if named == BUNDLED else named
        if isinstance(one.dense, CollectionEncoder) and wanted:
            if wanted != one.spec.model:  # the same model at another address is fine
                # without the model, keyword search still works
                with suppress(ProviderError, TimeoutError):
                    async with within(_OPENING_S):
                        await one.dense.opened()
        elif wanted != one.spec.model:
            require_fingerprint(one.spec.name, "dense model", one.spec.dense, named)


async def open_searchables(
    settings: Settings,
    models: Models,
    client: ServedIndex,
    infos: Sequence[CollectionInfo],
    foreign: ForeignCollections,
) -> Searchables:
    """Open every collection that can be searched, including those of other programs. Errors are
    kept for searches of these collections. Raises ConfigError if two collections have one name."""
    use = settings.use
    everything = {info.spec.name: info for info in (*infos, *foreign.known())}
    made = Searchables(everything, default=settings.collection)
    for name, one in (await foreign.searchables(client, infos)).items():
        if isinstance(one, PinciteError):
            made.failed[name] = one
        else:
            made.opened[name] = one
    for info in infos:
        spec = info.spec
        if spec.pending:
            continue
        options = (
            use.options.get(spec.name) or use.options.get(spec.public_name) or CollectionOptions()
        )
        alone = (
            not spec.base
            and not settings.beside(spec.public_name)
            and len(members(infos, spec.public_name)) < 2
        )
        if alone and spec.name in use.collections:
            made.named[spec.name] = use.collections[spec.name]
        named = made.named.get(spec.name, BUNDLED)
        try:
            sparse = await sparse_of(models, spec)
        except PinciteError as error:
            made.failed[spec.name] = error
            continue
        made.opened[spec.name] = Searchable(
            spec=spec,
            index=client,
            sparse=sparse,
            dense=_dense(settings, models, client, spec, "" if named == BUNDLED else named),
            code=share_of_code(info) >= CODE_SHARE,
            rung=rung_of(spec.model),
            kinds=frozenset(kind for kind, chunks in info.kinds.items() if chunks),
            depth=options.depth,
            weight=options.weight,
            store=settings.store.kind,
            embedded=info.embedded_share,
            exact=settings.store.exact,
            deep=share_of_code(info) >= DEEP_SHARE,
        )
    return made


def share_of_code(info: CollectionInfo) -> float:
    """Return the share of the chunks that are code, 0..1; 0 for an empty collection."""
    return info.kinds.get("code", 0) / max(1, info.chunks)


def _dense(
    settings: Settings, models: Models, client: ServedIndex, spec: CollectionSpec, named: str
) -> DenseEncoder | None:
    """Return the encoder of queries for a collection: the daemon's bundled model, or a provider's;
    None for a lexical collection."""
    if spec.dense is None:
        return None
    if spec.model and not is_bundled(spec.model):
        return CollectionEncoder(models, spec, named)
    return QueryEncoder(client, str(settings.models), spec.dense, spec.dimensions)
