"""An index folder with all that is open in it, and a search of it."""

from __future__ import annotations

import logging
from functools import partial
from types import TracebackType
from typing import Self

from pincite.catalog.file import holds_index
from pincite.collection.external import ForeignCollections
from pincite.collection.searchables import Searchables, open_searchables
from pincite.daemon.open_index import open_index, prepare
from pincite.daemon.protocol import ServedIndex
from pincite.daemon.remote_search import remote_search_of
from pincite.deps import Deps, informative_terms
from pincite.encoders.by_name import Models, NamedReranker, cutter_of
from pincite.errors import ConfigError, IndexNotFound, UsageError
from pincite.model import EvidencePack, Notice, Question, Scope
from pincite.ports import LLM, Reranker
from pincite.profile import Profile
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, Entry, file_recorder
from pincite.scope.filter import check_scope
from pincite.search import search
from pincite.settings.load import Settings
from pincite.trace import Trace

log = logging.getLogger("pincite")


class OpenIndex:
    """The daemon, the models, other programs' collections and the log of an index folder, each
    opened when it is first needed. `pincite.engine` builds on it what programs call."""

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
        """Hang up on the daemon, which stays for the next client, and on providers. The end of
        the context manager calls it.

        >>> await pincite.close()
        """
        await self._models.close()
        await self.foreign.close()
        if self._client is not None:
            await self._client.close()

    def client(self, *, create: bool = False) -> ServedIndex:
        """The daemon of the folder, which has the index open: for what the methods do not do.

        Arguments:
            create: make the folder if there is no index yet.

        Raises IndexNotFound unless there is an index or `create` is set.

        >>> infos = await pincite.client().collections()
        >>> [info.spec.name for info in infos]
        ['main']
        """
        root = self.settings.index
        if self._client is None or not holds_index(root):
            prepare(root, self.settings.store, create=create or bool(self.foreign))
        if self._client is None:
            self._client = open_index(self.settings)
        return self._client

    def refresh(self) -> None:
        """Look again at what is indexed with the next search, as others may have changed it. A
        program that stays up calls it now and then; it costs the next search a few milliseconds.

        >>> pincite.refresh()
        """
        self._searchables = None

    async def deps(self, scope: Scope = Scope()) -> Deps:
        """What a search asks: collections with their encoders, the reranker, what languages know.

        Arguments:
            scope: the part of the index that is searched.

        Raises IndexNotFound, IndexUnavailable, FingerprintMismatch, UsageError for a collection
        that there is not.

        >>> deps = await pincite.deps()
        >>> [one.spec.name for one in deps.collections]
        ['main']
        """
        return (await self._opened(scope, self.settings.profile))[1]

    async def _opened(
        self, scope: Scope, profile: Profile, *, asked: bool = False
    ) -> tuple[Searchables, Deps]:
        """All that can be searched, and what a search in this scope asks of it. Where the scope is
        `asked`, its tags are looked at before a provider is opened. Raises TagsRequired."""
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
        if asked:
            check_scope(chosen, scope)
        if self._named is not None:
            await self._named.open(profile.rerank.timeout_s)
        llm = await self._llm() if profile.gate.answerable == "llm" else None
        return known, Deps(
            collections=chosen,
            terms=informative_terms(chosen[0].spec.language),
            language_of=guess_language,
            reranker=self._reranker,
            notices=notices,
            cut=cutter_of(self._reranker, profile.rerank.tokenizer),
            llm=llm,
        )

    async def _llm(self) -> LLM:
        """The language model that the settings name. Raises ConfigError if they name none."""
        name = self.settings.use.llm
        if not name:
            raise ConfigError(
                'gate.answerable is "llm", and no language model is named',
                hint='set [models] llm = "PROVIDER:MODEL", or gate.answerable = "off"',
            )
        return await self._models.llm(name)

    async def _search(self, question: Question, profile: Profile, steps: Trace) -> EvidencePack:
        """One search, logged; a second try where collections have come or gone meanwhile."""
        with self.log.entry(Asked.of(question, profile), steps) as entry:
            once = partial(self._once, question, profile, steps, entry)
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
        known, deps = await self._opened(question.scope, profile, asked=True)
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


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)
