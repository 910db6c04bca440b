"""The composition root: settings in, an engine out. Async here; `pincite.sync` is its facade."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pincite.deps import Deps, informative_terms
from pincite.errors import IndexNotFound, UsageError
from pincite.hosted import CollectionEncoder, Models, NamedReranker, rung_of
from pincite.model import (
    CollectionSpec,
    EvidencePack,
    Notice,
    Scope,
    TaskMode,
)
from pincite.model_settings import BUNDLED
from pincite.options import IndexOptions, require_fingerprint
from pincite.owner.asking import question_of
from pincite.owner.client import RemoteIndex
from pincite.owner.encoder import QueryEncoder
from pincite.ports import CollectionInfo, DenseEncoder, Reranker, Searchable, SparseEncoder
from pincite.profile import Profile
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, file_recorder
from pincite.search import search
from pincite.settings import Settings
from pincite.sparse_models import sparse_of
from pincite.store_settings import remember
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.claims import Claim, ClaimCheck
    from pincite.ingest import IngestReport, Progress
    from pincite.locate import Checked, Passage

log = logging.getLogger("pincite")


#: From this share of its chunks on a collection counts as code; mixed ones gain nothing from
#: it (docs/decisions/0004).
CODE_SHARE = 0.9


class AsyncPincite:
    """An index folder, open. Use as an async context manager; one event loop per instance.

    >>> async with AsyncPincite(load_settings(os.environ, Path.cwd())) as pincite:
    ...     pack = await pincite.search("how are chunks cited?")
    """

    def __init__(self, settings: Settings, reranker: Reranker | None = None) -> None:
        self.settings = settings
        self._models = Models(
            settings.use, settings.models, offline=settings.offline, on_notice=_log_notice
        )
        self._named = None
        if reranker is None and settings.use.rerank:
            self._named = reranker = NamedReranker(self._models, settings.use.rerank)
        self._reranker = reranker
        self._client: RemoteIndex | None = None
        self._searchable: dict[str, Searchable] | None = None
        self._infos: dict[str, CollectionInfo] = {}
        self.log = file_recorder(settings.index, settings.log)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up on the owner process, which stays for the next client, and on providers."""
        if self._named is not None:
            await self._named.close()
        await self._models.close()
        if self._client is not None:
            await self._client.close()

    def client(self, *, create: bool = False) -> RemoteIndex:
        """The index of the folder. Raises IndexNotFound unless there is one or `create` is set."""
        root = self.settings.index
        if not (root / "catalog.db").exists():
            if not create:
                raise IndexNotFound(f"there is no index at {root}", hint="pincite index PATH")
            make_folder(root)
        if self._client is None:
            remember(root, self.settings.store)
            self._client = RemoteIndex(root, self.settings.models, self.settings.idle_s)
        return self._client

    async def index(
        self,
        locations: Sequence[str | Path] = (),
        *,
        options: IndexOptions | None = None,
        progress: Callable[[Progress], None] = lambda _: None,
    ) -> tuple[IngestReport, ...]:
        """Make the index mirror these sources, or all that it knows if none is named.

        Raises SourceError, FingerprintMismatch, DiskFull, StoreError, UsageError.
        """
        from pincite.indexing import index_sources  # the write path is heavy, searches are many

        self._searchable = None
        client = self.client(create=bool(locations or self.settings.sources))
        chosen = options or IndexOptions()
        return await index_sources(self.settings, client, locations, chosen, progress)

    async def search(
        self,
        text: str,
        *,
        mode: TaskMode = "explain",
        budget_ms: float | None = None,
        scope: Scope = Scope(),
        profile: Profile | None = None,
        trace: Trace | None = None,
    ) -> EvidencePack:
        """The evidence for a question. `mode` says what it is for, `budget_ms` is a soft limit of
        time; a `trace` that is not `detailed` may learn no more than the query's id. Raises
        UsageError for an empty question or an unknown collection, IndexNotFound,
        IndexUnavailable, FingerprintMismatch."""
        text = text.encode(errors="replace").decode()  # an argument may be no valid Unicode
        chosen = profile or self.settings.profile
        steps = trace or Trace(time.perf_counter, detailed=False)
        asked = Asked.of(text, scope, chosen, mode=mode, budget_ms=budget_ms)
        with self.log.entry(asked, steps) as entry:
            deps = await self.deps(scope)
            entry.infos = [self._infos[one.spec.name] for one in deps.collections]
            question = None
            if not steps.detailed:
                question = question_of(
                    text, deps, chosen, scope, mode, budget_ms, logged=self.log.enabled
                )
            if question is None:
                entry.pack = await search(text, deps, chosen, scope, steps, mode, budget_ms)
            else:
                answer = await self.client().ask(question)
                entry.pack, entry.found = answer.pack, answer.found
            return entry.pack

    def refresh(self) -> None:
        """Look again at what is indexed with the next search, as others may have changed it."""
        self._searchable = None

    async def warm(self) -> None:
        """Start the owner and open its encoder, so that the first search need not wait for them.

        Raises what `search` raises.
        """
        deps = await self.deps(Scope())
        for one in deps.collections:
            if isinstance(one.dense, QueryEncoder):
                await one.dense.embed_query("warm")

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """What is indexed."""
        return await self.client().collections()

    async def get(self, locator: str, context: int = 0) -> Passage:
        """Lines of an indexed file as it is now; see `pincite.locate.get`."""
        from pincite.locate import get

        return await get(self.client(), locator, context)

    async def verify(self, pack: EvidencePack) -> tuple[Checked, ...]:
        """Does the evidence still hold? See `pincite.locate.verify`."""
        from pincite.locate import verify

        return await verify(self.client(), pack)

    async def check(self, claims: Sequence[Claim]) -> tuple[ClaimCheck, ...]:
        """Do citations hold, and do their lines say what is quoted? See `pincite.claims.check`."""
        from pincite.claims import check

        return await check(self.client(), claims)

    async def drop(self, collection: str) -> None:
        """Remove a collection. Raises UsageError if there is none of that name."""
        await self._require(collection)
        await self.client().drop(collection)

    async def forget(self, collection: str, source: str) -> int:
        """Remove a source; returns how many documents it had. Raises UsageError."""
        info = await self._require(collection)
        names = [record.source.name for record in info.sources]
        if source not in names:
            raise UsageError(
                f"{collection} has no source {source!r}; it has: {', '.join(names) or 'none'}"
            )
        return await self.client().forget(collection, source)

    async def stop(self) -> None:
        """End the owner process, if there is one. Raises IndexNotFound, and IndexUnavailable if
        it does not answer."""
        await self.client().leave()

    async def _require(self, collection: str) -> CollectionInfo:
        self._searchable = None
        infos = {info.spec.name: info for info in await self.collections()}
        if collection not in infos:
            raise UsageError(
                f"there is no collection {collection!r}; there are: {', '.join(infos) or 'none'}",
                hint="pincite collections",
            )
        return infos[collection]

    async def deps(self, scope: Scope = Scope()) -> Deps:
        """What a search in this scope asks. Raises as `search` does."""
        if self._searchable is None:
            client = self.client()
            infos = await client.collections()
            if not infos:
                raise IndexNotFound(
                    f"nothing is indexed at {self.settings.index}", hint="pincite index PATH"
                )
            self._infos = {info.spec.name: info for info in infos}
            models = str(self.settings.models)
            self._searchable = {
                i.spec.name: _searchable(
                    i,
                    client,
                    self._dense(i.spec, client, models),
                    await sparse_of(self._models, i.spec),
                )
                for i in infos
            }
        known = self._searchable
        missing = [name for name in scope.collections if name not in known]
        if missing:
            raise UsageError(
                f"there is no collection {missing[0]!r}; there are: {', '.join(known)}",
                hint="pincite collections",
            )
        chosen = [known[name] for name in scope.collections or known]
        for one in chosen:
            await self._require_configured(one)
        return Deps(
            collections=chosen,
            terms=informative_terms(chosen[0].spec.language),
            language_of=guess_language,
            reranker=self._reranker,
        )

    def _dense(self, spec: CollectionSpec, client: RemoteIndex, models: str) -> DenseEncoder | None:
        """What embeds queries for a collection: the owner's model, or that of a provider."""
        if spec.dense is None:
            return None
        if spec.model:
            return CollectionEncoder(self._models, spec)
        return QueryEncoder(client, models, spec.dense, spec.dimensions)

    async def _require_configured(self, one: Searchable) -> None:
        """Raise FingerprintMismatch where `[collections.NAME]` names another model than the one
        that the collection was made with."""
        named = self.settings.use.collections.get(one.spec.name)
        if named is None or one.spec.dense is None:
            return
        wanted = "" if named == BUNDLED else named
        if isinstance(one.dense, CollectionEncoder) and wanted:
            if wanted != one.spec.model:  # the same model at another address is fine
                await one.dense.opened()
        elif wanted != one.spec.model:
            require_fingerprint(one.spec.name, "dense model", one.spec.dense, named)


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)


def make_folder(root: Path) -> None:
    """An index folder that only its user can read and that version control leaves alone."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    (root / ".gitignore").write_text("*\n")


def _searchable(
    info: CollectionInfo,
    client: RemoteIndex,
    dense: DenseEncoder | None,
    sparse: SparseEncoder,
) -> Searchable:
    spec = info.spec
    code = info.kinds.get("code", 0) >= CODE_SHARE * max(1, info.chunks)
    kinds = frozenset(kind for kind, chunks in info.kinds.items() if chunks)
    return Searchable(spec, client, sparse, dense, code, rung_of(spec.model), kinds)
