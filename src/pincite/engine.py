"""The composition root: settings in, an engine out. Async here; `pincite.sync` is its facade."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pincite.catalog.file import holds_index
from pincite.collection.external import ForeignCollections
from pincite.collection.searchables import Searchables, open_searchables
from pincite.daemon.encoder import QueryEncoder
from pincite.daemon.open_index import open_index, prepare
from pincite.daemon.protocol import ServedIndex
from pincite.daemon.remote_search import remote_search_of
from pincite.deps import Deps, informative_terms
from pincite.encoders.by_name import Models, NamedReranker, cutter_of
from pincite.errors import IndexNotFound, UsageError
from pincite.ingestion.options import IndexOptions
from pincite.model import EvidencePack, Notice, Question, Scope, TaskMode
from pincite.ports import CollectionInfo, Reranker, Waiting
from pincite.profile import Profile
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, Entry, file_recorder
from pincite.search import search
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.trace import Trace

if TYPE_CHECKING:
    from pincite.citations.claims import Claim, ClaimCheck
    from pincite.citations.locate import Checked, Passage
    from pincite.ingestion.report import IngestReport, Progress
    from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions

log = logging.getLogger("pincite")


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
        name = settings.use.rerank if reranker is None else ""
        self._named = NamedReranker(self._models, name) if name else None
        self._reranker = reranker or self._named
        self.foreign = ForeignCollections(settings, self._models)
        self._client: ServedIndex | None = None
        self._searchables: Searchables | None = None
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
        """Hang up on the daemon, which stays for the next client, and on providers."""
        await self._models.close()
        await self.foreign.close()
        if self._client is not None:
            await self._client.close()

    def client(self, *, create: bool = False) -> ServedIndex:
        """The index of the folder. Raises IndexNotFound unless there is one or `create` is set."""
        root = self.settings.index
        if self._client is None or not holds_index(root):
            prepare(root, self.settings.store, create=create or bool(self.foreign))
        if self._client is None:
            self._client = open_index(self.settings)
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
        from pincite.ingest import index_sources  # the write path is heavy, searches are many

        self._searchables = None
        chosen = options or IndexOptions()
        self.foreign.refuse(chosen.collection)
        client = self.client(create=bool(locations or self.settings.sources))
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
        """The evidence for a question, within `budget_ms` if possible; `mode` says what it is for.
        Raises as `ask`."""
        return await self.ask(Question(text, scope, mode, budget_ms), profile=profile, trace=trace)

    async def ask(
        self, question: Question, *, profile: Profile | None = None, trace: Trace | None = None
    ) -> EvidencePack:
        """As `search`. A `trace` that is not `detailed` may learn the query's id alone. Raises
        UsageError for an empty question or unknown collection, IndexNotFound, IndexUnavailable,
        FingerprintMismatch."""
        text = question.text.encode(errors="replace").decode()  # it may be no valid Unicode
        question = replace(question, text=text)
        chosen = profile or self.settings.profile
        steps = trace or Trace(time.perf_counter, detailed=False)
        with self.log.entry(Asked.of(question, chosen), steps) as entry:
            once = partial(self._once, question, chosen, steps, entry)
            try:
                entry.pack = await once()
                failed = any(one.code == "collection_failed" for one in entry.pack.warnings)
            except UsageError:
                if not await self._outdated():
                    raise
                entry.pack = await once()
            else:
                if failed and await self._outdated():
                    entry.pack = await once()
            return entry.pack

    async def _once(
        self, question: Question, profile: Profile, steps: Trace, entry: Entry
    ) -> EvidencePack:
        steps.steps.clear()
        entry.found = None
        known, deps = await self._opened(question.scope, profile)
        entry.infos = [known.infos[one.spec.name] for one in deps.collections]
        asked, daemon = None, self.client()
        if not steps.detailed:
            asked = remote_search_of(question, deps, daemon, profile, logged=self.log.enabled)
        if asked is None:
            return await search(question, deps, profile, steps)
        answer = await daemon.ask(asked)
        entry.found = answer.found
        return answer.pack

    async def _outdated(self) -> bool:
        """Have collections come or gone since they were opened? Then they are opened again."""
        if self._searchables is None:
            return False
        known = self._searchables.infos
        specs = {info.spec.name: info.spec for info in await self.client().collections()}
        if specs == {name: info.spec for name, info in known.items() if not info.foreign}:
            return False
        self._searchables = None
        return True

    def refresh(self) -> None:
        """Look again at what is indexed with the next search, as others may have changed it."""
        self._searchables = None

    async def warm(self) -> None:
        """Start the daemon and open its encoder, so that the first search need not wait for them.
        Raises what `search` raises."""
        deps = await self.deps(Scope())
        for one in deps.collections:
            if isinstance(one.dense, QueryEncoder):
                await one.dense.embed_query("warm")

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """What is indexed."""
        return (*await self.client().collections(), *await self.foreign.infos())

    async def get(self, locator: str, context: int = 0) -> Passage:
        """Lines of an indexed file as it is now; see `pincite.citations.locate.get`."""
        from pincite.citations.locate import get

        return await self.foreign.explain_misses(locator, get(self.client(), locator, context))

    async def verify(self, pack: EvidencePack) -> tuple[Checked, ...]:
        """Does the evidence still hold? See `pincite.citations.locate.verify`."""
        from pincite.citations.locate import verify

        return await verify(self.client(), pack, self.foreign.readable())

    async def check(self, claims: Sequence[Claim]) -> tuple[ClaimCheck, ...]:
        """Do citations hold, and do their lines say what is quoted? See
        `pincite.citations.claims.check`."""
        from pincite.citations.claims import check

        return await check(self.client(), claims)

    async def reembed(
        self,
        collection: str,
        model: str,
        *,
        options: ReembedOptions | None = None,
        progress: Callable[[Reembedding], None] = lambda _: None,
    ) -> Reembedded:
        """Give a collection another dense model, from the texts that are stored in it. Raises what
        `pincite.maintenance.reembed.reembed` raises."""
        from pincite.maintenance.reembed import ReembedOptions, reembed

        self._searchables = None
        chosen = options or ReembedOptions()
        return await reembed(self.settings, self.client(), collection, model, chosen, progress)

    async def drop(self, collection: str, waiting: Waiting = Waiting(WAIT_S)) -> None:
        """Remove a collection; see `pincite.maintenance.remove.drop`."""
        from pincite.maintenance.remove import drop

        self._searchables = None
        self.foreign.refuse(collection)
        await drop(self.client(), collection, waiting)

    async def forget(self, collection: str, source: str, waiting: Waiting = Waiting(WAIT_S)) -> int:
        """Remove a source; see `pincite.maintenance.remove.forget`."""
        from pincite.maintenance.remove import forget

        self._searchables = None
        self.foreign.refuse(collection)
        return await forget(self.client(), self._models, collection, source, waiting)

    async def stop(self) -> None:
        """End the daemon, if there is one. Raises IndexNotFound, IndexUnavailable."""
        await self.client().leave()

    async def deps(self, scope: Scope = Scope()) -> Deps:
        """What a search in this scope asks. Raises as `search` does."""
        return (await self._opened(scope, self.settings.profile))[1]

    async def _opened(self, scope: Scope, profile: Profile) -> tuple[Searchables, Deps]:
        """All that can be searched, and what a search in this scope asks of it."""
        known = self._searchables
        if known is None:
            client = self.client()
            infos = await client.collections()
            if not infos and not self.foreign:
                raise IndexNotFound(
                    f"nothing is indexed at {self.settings.index}", hint="pincite index PATH"
                )
            opening = open_searchables(self.settings, self._models, client, infos, self.foreign)
            known = self._searchables = await opening
        chosen, notices = await known.within(scope)
        if not chosen:
            raise IndexNotFound("nothing that is indexed is complete", hint="pincite status")
        if self._named is not None:
            await self._named.open(profile.rerank.timeout_s)
        return known, Deps(
            collections=chosen,
            terms=informative_terms(chosen[0].spec.language),
            language_of=guess_language,
            reranker=self._reranker,
            notices=notices,
            cut=cutter_of(self._reranker, profile.rerank.tokenizer),
        )


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)
